"""What a request asks for. A path is known by its end: before it stands the path of a base URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from workbench.core.answering.errors import NotRoutedError, UnsupportedError
from workbench.core.apis.api import API
from workbench.core.apis.table import EMBEDDINGS, counted_path, find
from workbench.core.requests.view import Payload

_WEBSOCKET: Final = "this server does not support the WebSocket transport; use HTTP"
_POST: Final = ("POST",)
_GET: Final = ("GET", "HEAD")
_MODELS: Final = re.compile(r"/models(?:/(?P<name>.+))?$", re.DOTALL)
_RESPONSE: Final = re.compile(r"/responses/(?P<name>[^/]+)$")
# Claude Code asks at "/" for whether the server is there.
_HEALTH: Final = ("/healthz", "/")

Kind = Literal["embeddings", "tokens", "models", "model", "response", "health", "preflight"]


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
        name: of the model, or the id of the response.
    """

    kind: Kind
    name: str = ""

    @property
    def looks_up(self) -> bool:
        """Whether its reply is made from files."""
        return self.kind in ("models", "response")


Route = Conversation | Plain


def find_route(method: str, path: str, headers: Mapping[str, str]) -> Route:
    """What a request asks for.

    Args:
        headers: found by names in lower case.

    Raises:
        NotRoutedError: nothing has this path, or takes this method there.
    """
    methods, route = _at(path)
    if route is not None and method in methods:
        return route
    if method == "OPTIONS":  # of a web page that is about to ask
        return Plain("preflight")
    reason = _WEBSOCKET if headers.get("upgrade", "").lower() == "websocket" else ""
    raise NotRoutedError(methods, reason)


def _at(path: str) -> tuple[tuple[str, ...], Route | None]:
    """What is asked for at a path, and by which methods."""
    if asked := find(path):
        return _POST, Conversation(*asked)
    if (counted := counted_path(path)) and find(counted):
        return _POST, Plain("tokens")
    if path.endswith(EMBEDDINGS) and not path.endswith(f"/api{EMBEDDINGS}"):  # that is Ollama's
        return _POST, Plain("embeddings")
    if match := _RESPONSE.search(path):
        return _GET, Plain("response", match["name"])
    if path in _HEALTH:
        return _GET, Plain("health")
    if match := _MODELS.search(path):
        return _GET, Plain("model", match["name"]) if match["name"] else Plain("models")
    return (), None
