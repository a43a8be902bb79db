"""Find the route of a request. Only the end of a path counts, because base URLs differ."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from workbench.core.answering.errors import NotRoutedError, RefusedError, UnsupportedError
from workbench.core.apis.api import API, GET, POST, PlainKind
from workbench.core.apis.paths import api_by_headers, conversation_at, counted_path, plain_at
from workbench.core.apis.table import CHAT
from workbench.core.requests.view import Payload

_WEBSOCKET: Final = "this server does not support the WebSocket transport; use HTTP"
# Claude Code requests "/" to check that the server is running.
_HEALTH: Final = ("/healthz", "/")

RouteKind = PlainKind | Literal["tokens", "health", "preflight"]


class Conversation(NamedTuple):
    """A request that fixtures answer, and how its API is found in the path."""

    api: API
    match: re.Match[str]

    def received(self, body: Payload, query: str) -> Payload:
        """The request as it is read. Raises UnsupportedError where no fixture can answer it."""
        payload = self.api.request.received(body, self.match, query)
        if reason := self.api.request.unsupported(payload):
            raise UnsupportedError(reason)
        return payload


class Plain(NamedTuple):
    """A request that needs no fixture.

    Attributes:
        name: name of the model, or id of the response.
        api: the API, as far as the path shows it.
    """

    kind: RouteKind
    name: str = ""
    api: API = CHAT

    @property
    def reads_body(self) -> bool:
        """True if the reply is made from the JSON of the body."""
        return self.kind in ("embeddings", "moderations", "tokens")

    @property
    def looks_up(self) -> bool:
        """True if the reply is made from files."""
        return self.kind in ("models", "moderations", "response")


Route = Conversation | Plain


def find_route(method: str, path: str, headers: Mapping[str, str]) -> Route:
    """The route of a request.

    Args:
        headers: found by names in lower case.

    Raises:
        NotRoutedError: no route has this path, or the path does not accept the method.
        RefusedError: the request opens a WebSocket where only HTTP is supported.
    """
    methods, route = _at(path, headers)
    is_websocket = method == "GET" and headers.get("upgrade", "").lower() == "websocket"
    if is_websocket and isinstance(route, Conversation):
        # Clients that prefer one go on without it, so there is nothing to list.
        upgrade = (("Upgrade", "HTTP/1.1"),)
        raise RefusedError(426, "upgrade_required", _WEBSOCKET, upgrade, is_listed=False)
    if route is not None and method in methods:
        return route
    if method == "OPTIONS":  # the preflight of a web page
        return Plain("preflight")
    raise NotRoutedError(methods, _WEBSOCKET if is_websocket else "")


def _at(path: str, headers: Mapping[str, str]) -> tuple[tuple[str, ...], Route | None]:
    """The methods of a path, and its route."""
    if conversation := conversation_at(path):
        return POST, Conversation(*conversation)
    if (counted := counted_path(path)) and conversation_at(counted):
        return POST, Plain("tokens")
    if path in _HEALTH:
        return GET, Plain("health")
    if plain := plain_at(path):
        api, entry, match = plain
        if api is CHAT and entry.kind in ("models", "model"):
            api = api_by_headers(headers)
        return entry.methods, Plain(entry.kind, match.groupdict().get("name", ""), api)
    return (), None
