"""Token counts: how many tokens a request has, estimated as in the usage of its reply."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.table import APIS, received, view
from workbench.core.requests.view import Payload

# How a path ends where tokens are counted, how that of the request itself ends, and the key of the
# count in the reply.
_COUNTS: Final = (
    ("/messages/count_tokens", "/messages", "input_tokens"),
    (":countTokens", ":generateContent", "totalTokens"),
)
ROUTES: Final = tuple(
    route.removesuffix(own_end) + end
    for api in APIS
    for route in api.ROUTES
    for end, own_end, _ in _COUNTS
    if route.endswith(own_end)
)
"""The paths of the server, as Starlette writes them."""


def request_path(path: str) -> str | None:
    """The path of the requests whose tokens are counted at ``path``, if they are."""
    for end, own_end, _ in _COUNTS:
        if path.endswith(end):
            return path.removesuffix(end) + own_end
    return None


def token_count(path: str, query: str, body: Payload) -> dict[str, int] | None:
    """The reply to a request for the count; None if no tokens are counted at ``path``."""
    own_path = request_path(path)
    payload = received(own_path, query, body) if own_path is not None else None
    if payload is None:
        return None
    tokens = view(payload).prompt_tokens
    return {key: tokens for end, _, key in _COUNTS if path.endswith(end)}
