"""Requests as they may be logged, recorded and stored: without the credentials of their clients."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, NamedTuple

from workbench.core.apis.table import view
from workbench.core.digest import RequestError
from workbench.core.requests.view import Payload
from workbench.core.secrets.credentials import Credentials
from workbench.core.secrets.names import NamedCredential, named_in, of_named, of_request, without

# Requests are seldom hashed more than twice for this; one with very many names must not be hashed
# for each of them.
_MOST_DIGESTS: Final = 40


class WrittenRequest(NamedTuple):
    """A request as it may be written down.

    Attributes:
        payload: with ``…`` for what is a credential by its name; its digest is the same.
        credentials: that came with the request, in its headers, URL and body.
        is_secret: whether the rest of it repeats one of them. Then it must not be written: its
            digest is that of the text with the credential.
    """

    payload: Payload
    credentials: Credentials
    is_secret: bool

    @property
    def body(self) -> bytes:
        """The payload as JSON."""
        return json.dumps(self.payload).encode("ascii")


def as_written(
    payload: Payload,
    headers: Iterable[tuple[str, str]],
    query: str = "",
    path: str = "",
    *,
    more: Iterable[str] = (),
    is_hashed: bool = True,
) -> WrittenRequest:
    """A request and what came with it, as it may be written down. Takes as long as reading it.

    Args:
        more: further credentials, such as the upstream's.
        is_hashed: whether it is a request of an API, which has a digest, and no other call.
    """
    payload, named = _split(payload, is_hashed=is_hashed)
    credentials = Credentials([*of_request(headers, query, path), *of_named(named), *more])
    is_secret = credentials.are_in_request(json.dumps(payload).encode("ascii"))
    return WrittenRequest(payload, credentials, is_secret)


def without_credentials(payload: Payload) -> Payload:
    """A request as it was received or logged, with ``…`` for what is a credential by its name,
    wherever the digest leaves it out.
    """
    return _split(payload)[0]


def _split(payload: Payload, *, is_hashed: bool = True) -> tuple[Payload, list[NamedCredential]]:
    """A request without its named credentials, and these."""
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
