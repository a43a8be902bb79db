"""Token counts: how many tokens a request has, estimated as in the usage of its reply."""

from __future__ import annotations

from workbench.core.apis.table import api_of, counted_path, find, received, view
from workbench.core.requests.view import Payload


def counts_tokens(path: str) -> bool:
    """Whether tokens are counted at ``path``."""
    own_path = counted_path(path)
    return own_path is not None and find(own_path) is not None


def token_count(path: str, query: str, body: Payload) -> dict[str, int] | None:
    """The reply to a request for the count; None if no tokens are counted at ``path``."""
    own_path = counted_path(path)
    payload = received(own_path, query, body) if own_path is not None else None
    if payload is None:
        return None
    request = view(payload)
    count = api_of(payload).request.TOKEN_COUNT
    return None if count is None else {count.key: request.prompt_tokens}
