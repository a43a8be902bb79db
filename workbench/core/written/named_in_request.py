"""The credentials that a request names itself, as far as its digest leaves them out."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.table import view
from workbench.core.request_body import RequestError
from workbench.core.requests.view import Payload
from workbench.core.secrets.bodies import NamedCredential, named_in, without

# Requests are seldom hashed more than twice for this; one with very many names must not be hashed
# for each of them.
_MOST_DIGESTS: Final = 40


def without_credentials(payload: Payload) -> Payload:
    """A request as it was received or logged, with ``…`` for what is a credential by its name,
    wherever the digest leaves it out.
    """
    return split(payload)[0]


def split(payload: Payload, *, is_hashed: bool = True) -> tuple[Payload, list[NamedCredential]]:
    """A request without its named credentials, and these credentials.

    Args:
        is_hashed: True for an API request, which has a digest; False for another call.
    """
    named = named_in(payload)
    if not named:
        return payload, []
    try:
        outside = _outside(payload, named) if is_hashed else named
    except RequestError:  # it has no digest, and is refused
        outside = named
    return without(payload, outside), outside


def _outside(payload: Payload, named: list[NamedCredential]) -> list[NamedCredential]:
    """Those that the digest leaves out, found by halves."""
    own, outside, waiting = view(payload).digest, list[NamedCredential](), [named]
    for _ in range(_MOST_DIGESTS):
        if not waiting:
            break
        part = waiting.pop()
        if view(without(payload, part)).digest == own:
            outside += part
        elif len(part) > 1:
            half = len(part) // 2
            waiting += [part[:half], part[half:]]
    return outside
