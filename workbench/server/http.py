"""One HTTP request over ASGI: reading its body, waiting while its client is there, replying."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from workbench.core.digest import RequestError, parse_request
from workbench.core.wire.model import Headers
from workbench.server.protocol import BODY, CLOSE, ENDED, LINGER_SECONDS, UNTIL_CLOSE

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Header = tuple[bytes, bytes]

MAX_BODY: Final = 64 * 1024 * 1024
# Of all bodies under way in a server that came in several pieces: a few of the longest.
MAX_BODIES: Final = 8 * MAX_BODY
# So long the next part of a body is waited for.
BODY_SECONDS: Final = 60.0
_NODE: Final = b"x-workbench-node"
_VERIFY: Final = b"x-workbench-verify"


class RefusedError(Exception):
    """A request that gets an error for a reply; ``str`` of it is the message."""

    def __init__(self, status: int, code: str, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers


class ClientGoneError(Exception):
    """The client hung up: there is nobody to reply to."""


class Stop:
    """Told once: the server is to end, and nothing waits any longer."""

    def __init__(self) -> None:
        self._future: asyncio.Future[None] | None = None

    @property
    def future(self) -> asyncio.Future[None]:
        """Done from then on; of the loop that runs."""
        if self._future is None:
            self._future = asyncio.get_running_loop().create_future()
        return self._future

    def set(self) -> None:
        if not self.future.done():
            self.future.set_result(None)


class Bodies:
    """The room for the long bodies under way in one server: requests, and replies that are made in
    memory. Requests that come in one piece are small, and not counted.

    Args:
        most: bytes.
    """

    def __init__(self, most: int = MAX_BODIES) -> None:
        self._left = most

    def take(self, size: int) -> None:
        """Raises RefusedError where there is no room for ``size`` bytes more."""
        if size > self._left:
            raise RefusedError(
                503,
                "too_much_under_way",
                "no more long requests until some of those under way are answered; ask again",
                (("Retry-After", "1"),),
            )
        self._left -= size

    def give_back(self, size: int) -> None:
        self._left += size


class Request:
    """A request that is being answered; to be closed.

    Args:
        bodies: where its body has its room, until it is closed.

    Attributes:
        is_started: the status of the reply was sent.
        received: the body that ``payload`` was read from.
    """

    __slots__ = (
        "_bodies",
        "_ends_with_connection",
        "_gone",
        "_head",
        "_receive",
        "_send",
        "_taken",
        "headers",
        "is_started",
        "method",
        "path",
        "received",
        "scope",
    )

    def __init__(self, scope: Scope, receive: Receive, send: Send, bodies: Bodies) -> None:
        self.scope = scope
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self._receive = receive
        self._send = send
        self._bodies = bodies
        self._taken = 0
        self._gone: asyncio.Future[None] | None = None
        self.is_started = False
        self._ends_with_connection = False
        self._head: list[Header] = []
        self.received = b""

    @property
    def client(self) -> str:
        client = self.scope["client"]
        return client[0] if client else "-"

    @property
    def node(self) -> str:
        """Who asks, as the header ``X-Workbench-Node`` says; "" where it says nothing."""
        return self.headers.get(_NODE, b"").decode("latin-1")

    @property
    def is_verification(self) -> bool:
        """Whether the workbench itself asks, to see what is answered: such a request is no part of
        any suite.
        """
        return self.headers.get(_VERIFY) == b"1"

    @property
    def target(self) -> str:
        """The path as it was sent: ASCII without blanks or control characters. Of a query only that
        there is one: it may hold a key, and this is logged.
        """
        path = self.scope["raw_path"].decode("ascii", "backslashreplace")
        return f"{path}?..." if self.scope["query_string"] else path

    @property
    def query(self) -> str:
        """As it was sent. It may hold a key."""
        return self.scope["query_string"].decode("latin-1")  # type: ignore[no-any-return]

    @property
    def is_stream(self) -> bool:
        """Whether a stream was begun as the reply."""
        kinds = [value for name, value in self._head if name == b"content-type"]
        return any(kind.startswith(b"text/event-stream") for kind in kinds)

    @property
    def line(self) -> str:
        return f"{self.method} {self.target} HTTP/{self.scope['http_version']}"

    async def body(self) -> bytes:
        """The whole body.

        Raises:
            RefusedError: it is too long, or there is no room for it now, and the rest is not kept;
                or the rest does not come.
            ClientGoneError: the client hung up before its end.
        """
        announced = self.headers.get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > MAX_BODY:
            raise _too_long()
        message = await self._part()
        if not message.get("more_body", False):
            return message["body"]  # type: ignore[no-any-return]
        data = bytearray()
        while True:
            self.take(len(message["body"]))
            data += message["body"]
            if len(data) > MAX_BODY:
                raise _too_long()
            if not message.get("more_body", False):
                return bytes(data)
            message = await self._part()

    def take(self, size: int) -> None:
        """Take room for ``size`` more bytes until this is closed.

        Raises:
            RefusedError: there is none.
        """
        self._bodies.take(size)
        self._taken += size

    async def _part(self) -> Message:
        if self._is_here:
            message = await self._receive()
        else:
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    message = await self._receive()
            except TimeoutError:
                raise RefusedError(
                    408, "body_incomplete", f"nothing of the body came for {BODY_SECONDS:g} s"
                ) from None
        if message["type"] != "http.request":
            raise ClientGoneError
        return message

    @property
    def _is_here(self) -> bool:
        """Whether the whole body is known to be here."""
        body = self._extensions.get(BODY)
        return body is not None and not body["cycle"].more_body

    @property
    def is_arriving(self) -> bool:
        """Whether some of the body is known not to be here yet."""
        body = self._extensions.get(BODY)
        return body is not None and body["cycle"].more_body

    @property
    def _extensions(self) -> MutableMapping[str, Any]:
        return self.scope.get("extensions", {})  # type: ignore[no-any-return]

    async def payload(self, default: bytes = b"") -> dict[str, Any]:
        """The JSON object in the body, or in ``default`` where the body is empty.

        Raises:
            RefusedError: there is none.
            ClientGoneError: as ``body``.
        """
        given = self.headers.get(b"content-type", b"")
        if given and not _is_json_type(given):
            raise RefusedError(
                415,
                "unsupported_media_type",
                f"the content type is {given.decode('latin-1')!a}; "
                "a request is sent as application/json",
            )
        self.received = await self.body()
        try:
            return parse_request(self.received or default)
        except RequestError as error:
            raise RefusedError(400, error.code, str(error)) from None

    async def wait(self, seconds: float | None, *until: asyncio.Future[Any]) -> None:
        """Sleep (None: for good), but not beyond the end of any of ``until``.

        Raises:
            ClientGoneError: the client hung up meanwhile, or has ended its side, which those do.
        """
        if self._gone is None:
            self._gone = asyncio.ensure_future(self._until_gone())
        await asyncio.wait(
            (self._gone, *until),
            timeout=seconds,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if self._gone.done():
            raise ClientGoneError

    async def _until_gone(self) -> None:
        while ENDED not in self._extensions:
            if (await self._receive())["type"] == "http.disconnect":
                return

    def close(self) -> None:
        """Stop looking whether the client is there, and give back the room of its body."""
        self._bodies.give_back(self._taken)
        self._taken = 0
        if self._gone is not None:
            self._gone.cancel()

    async def drop(self) -> None:
        """Close the connection behind what was sent, whatever the reply still lacks."""
        if (connection := self._extensions.get(CLOSE)) is not None:
            connection["close"]()
            while (await self._receive())["type"] != "http.disconnect":
                pass

    async def linger(self) -> None:
        """Take in what comes of the body for some time, and forget it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while (await self._receive()).get("more_body"):
                    pass

    async def start(self, status: int, headers: list[Header]) -> None:
        self.is_started, self._head = True, headers
        has_length = any(name == b"content-length" for name, _ in headers)
        if not has_length and (until_close := self._extensions.get(UNTIL_CLOSE)) is not None:
            self._ends_with_connection = True
            until_close["begin"]()
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def send(self, data: bytes, *, more: bool = False) -> None:
        more_body = more or self._ends_with_connection
        await self._send({"type": "http.response.body", "body": data, "more_body": more_body})
        if not more and self._ends_with_connection:
            await self.drop()


def _is_json_type(header: bytes) -> bool:
    kind = header.split(b";", 1)[0].strip().lower()
    return kind == b"application/json" or (
        kind.startswith(b"application/") and kind.endswith(b"+json")
    )


def _too_long() -> RefusedError:
    mebibytes = MAX_BODY // (1024 * 1024)
    return RefusedError(413, "body_too_long", f"the body is longer than {mebibytes} MiB")
