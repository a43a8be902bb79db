"""The interface of an API to everything outside ``core.apis``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from workbench.core.apis.client_settings import ClientSettings
    from workbench.core.apis.ignored import IgnoredOption
    from workbench.core.apis.replies import Replies
    from workbench.core.requests.view import Payload, RequestView


def _whole(body: Payload) -> tuple[str, Payload]:
    return "", body


class TokenCount(NamedTuple):
    """Where an API counts the tokens of a request.

    Attributes:
        path: found at the end of a URL's path.
        request_end: how the path of the request itself ends.
        key: of the count in the reply.
        inner: from the body of a request to count, how the path of the request itself ends, if
            not in ``request_end``, and the body of that.
    """

    path: re.Pattern[str]
    request_end: str
    key: str
    inner: Callable[[Payload], tuple[str, Payload]] = _whole


PlainKind = Literal[
    "embeddings", "moderations", "models", "model", "response", "version", "nothing", "telemetry"
]


class PlainPath(NamedTuple):
    """A path of an API whose requests need no fixture.

    Attributes:
        kind: the kind of reply: ``nothing`` gets an empty reply, ``telemetry`` a 404 that is not
            listed.
        path: pattern for the end of a URL's path; its group ``name`` is the name of a model or the
            id of a reply.
        methods: the methods that it accepts.
    """

    kind: PlainKind
    path: re.Pattern[str]
    methods: tuple[str, ...]


POST: Final = ("POST",)
GET: Final = ("GET", "HEAD")


STUB_OR_SEND: Final = ("stub this call in your test, or point it at another server",)


class UnsupportedPath(NamedTuple):
    """Paths that the server does not support.

    Attributes:
        pattern: found anywhere in the path of a request: base URLs have paths of their own.
        reason: in words that follow the path and a colon.
        advice: what to change, a line for each client: ``openai: …``.
    """

    pattern: str
    reason: str
    advice: tuple[str, ...] = STUB_OR_SEND


class RequestModule(Protocol):
    """The module ``request`` of an API: how its requests are received and read."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """The API's name, in the requests that are not of chat."""

    @property
    def ROUTE(self) -> str:  # noqa: N802
        """The path that the official client uses, with the path of the base URL."""

    @property
    def TOKEN_COUNT(self) -> TokenCount | None:  # noqa: N802
        """Where it counts tokens, if it does."""

    @property
    def PLAIN_PATHS(self) -> tuple[PlainPath, ...]:  # noqa: N802
        """Its other paths, whose requests need no fixture."""

    @property
    def UNSUPPORTED_PATHS(self) -> tuple[UnsupportedPath, ...]:  # noqa: N802
        """The paths of the API that are not supported; the first match counts."""

    @property
    def DEMANDS(self) -> frozenset[str]:  # noqa: N802
        """The keys of a request, besides its messages, that offer tools or require an output."""

    def received(self, body: Payload, path: re.Match[str], query: str) -> Payload:
        """The payload of a request: the body and, for other APIs than chat, ``api`` and the data in
        the URL, whose path matched the API's. It may contain credentials, which are never written
        to disk (``core.written.request``).
        """

    def target(self, payload: Payload) -> tuple[str, Payload]:
        """The opposite of ``received``: path and query of the URL, and the body. The payload may
        come from a log, so the values in the path are percent-encoded.
        """

    def as_chat(self, payload: Payload) -> Payload:
        """The equivalent chat request. A value of a wrong type counts as absent."""

    def unsupported(self, payload: Payload) -> str | None:
        """Why no fixture can answer the request, in words that follow its path and a colon."""

    def ignored(self, request: RequestView) -> list[IgnoredOption]:
        """The options of a request that replies may not honour."""


class API:
    """An API that fixtures answer. Its modules are loaded when they are first used: a program that
    reads logs loads ``request`` for the first request of the API, and never ``replies``.

    Args:
        load_request, load_replies: import these modules.

    Attributes:
        name: in records and lists.
        path: found at the end of a URL's path, whatever the path of the base URL; ends in ``$``.
        client: how its clients are configured.
    """

    def __init__(
        self,
        name: str,
        path: re.Pattern[str],
        client: ClientSettings,
        load_request: Callable[[], RequestModule],
        load_replies: Callable[[], Replies],
    ) -> None:
        self.name = name
        self.path = path
        self.client = client
        self._load_request = load_request
        self._load_replies = load_replies

    @cached_property
    def request(self) -> RequestModule:
        """How its requests are received and read."""
        return self._load_request()

    @cached_property
    def replies(self) -> Replies:
        """How its replies are read and written."""
        return self._load_replies()
