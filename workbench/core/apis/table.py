"""The table of the APIs that fixtures answer, and how a request finds its own.

To add an API, write a package like ``core.apis.chat``, add its module ``request`` to ``APIS`` here
and its API to ``core.apis.writers``: routes, logs, mocks and imports take their paths from this
table. Programs that only read logs import it, so it does not import the modules that write replies.
"""

from __future__ import annotations

import functools
import re
from typing import Final, Protocol

from workbench.core.apis.chat import request as chat
from workbench.core.apis.client_settings import ClientSettings
from workbench.core.apis.gemini import request as gemini
from workbench.core.apis.messages import request as messages
from workbench.core.apis.responses import request as responses
from workbench.core.requests.equivalence import canonical_form
from workbench.core.requests.view import Payload, RequestView


class RequestModule(Protocol):
    """The interface of the module ``request`` of an API: how its requests are received and read."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """The API's name in records and lists."""

    @property
    def CLIENT(self) -> ClientSettings:  # noqa: N802
        """How its official client is configured."""

    @property
    def ROUTES(self) -> tuple[str, ...]:  # noqa: N802
        """The paths of the server, as Starlette writes them."""

    @property
    def PATH(self) -> re.Pattern[str]:  # noqa: N802
        """Found at the end of a URL's path, whatever the path of the base URL; ends in ``$``."""

    @property
    def DEMANDS(self) -> frozenset[str]:  # noqa: N802
        """The keys of a request that say what is offered and asked for, besides its messages."""

    def received(self, body: Payload, path: re.Match[str], query: str) -> Payload:
        """A request as it is read: the body and, of the other APIs, ``api`` and what else the URL
        says, whose path matched ``PATH``. It may hold credentials, which are never written down
        (``core.written``).
        """

    def target(self, payload: Payload) -> tuple[str, Payload]:
        """The opposite of ``received``: path and query of the URL, and the body. The payload may
        come from a log: what the path takes from it is percent-encoded.
        """

    def as_chat(self, payload: Payload) -> Payload:
        """The chat request that says the same. A value of a wrong type counts as absent."""

    def unsupported(self, payload: Payload) -> str | None:
        """Why no fixture can answer the request, in words that follow its path and a colon."""


APIS: Final[tuple[RequestModule, ...]] = (chat, responses, messages, gemini)
EMBEDDINGS: Final = "/embeddings"
"""The path of embeddings, which need no fixtures, after the base URL."""

_BY_NAME: Final = {api.NAME: api for api in APIS}


def find(path: str) -> tuple[RequestModule, re.Match[str]] | None:
    """The API that is asked at a URL's path, which may begin with the path of a base URL."""
    for api in APIS:
        if match := api.PATH.search(path):
            return api, match
    return None


def is_route(path: str) -> bool:
    """Whether the server answers POST requests to ``path``."""
    return _routes().fullmatch(path) is not None


@functools.cache
def _routes() -> re.Pattern[str]:
    """Matches every route; a parameter, ``{model}``, is anything but a slash."""
    routes = [re.escape(route) for api in APIS for route in api.ROUTES]
    return re.compile("|".join(re.sub(r"\\\{\w+\\\}", "[^/]+", route) for route in routes))


def received(path: str, query: str, body: Payload) -> Payload | None:
    """A request to a URL's path as ``view`` reads it; None if no API has the path."""
    found = find(path)
    return found[0].received(body, found[1], query) if found else None


def target(payload: Payload) -> tuple[str, str, Payload]:
    """Where a request is sent: the path after the base URL of a client, the query, the body."""
    api = request_module(payload)
    path, body = api.target(payload)
    path, _, query = path.removeprefix(api.CLIENT.base_path).partition("?")
    return path, query, body


def request_module(payload: Payload) -> RequestModule:
    """The API of a request as it was received, logged or stored."""
    name = payload.get("api")
    return _BY_NAME.get(name, chat) if isinstance(name, str) else chat


def view(payload: Payload) -> RequestView:
    """A request as it was received, logged or stored, as a view."""
    api = request_module(payload)
    if api is chat:
        return RequestView(payload, chat.NAME, payload)
    return RequestView(payload, api.NAME, canonical_form(api.as_chat(payload)))
