"""Token counts: how many tokens a request has, estimated as in the usage of its reply."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.table import APIS, api_of, counted_path, received, view
from workbench.core.requests.view import Payload

ROUTES: Final = tuple(
    route.removesuffix(count.request_end) + count.end
    for api in APIS
    if (count := api.request.TOKEN_COUNT) is not None
    for route in api.request.ROUTES
    if route.endswith(count.request_end)
)
"""The paths of the server, as Starlette writes them."""


def token_count(path: str, query: str, body: Payload) -> dict[str, int] | None:
    """The reply to a request for the count; None if no tokens are counted at ``path``."""
    own_path = counted_path(path)
    payload = received(own_path, query, body) if own_path is not None else None
    if payload is None:
        return None
    request = view(payload)
    count = api_of(payload).request.TOKEN_COUNT
    return None if count is None else {count.key: request.prompt_tokens}
