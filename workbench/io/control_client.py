"""A client of a server's control API, ``/__workbench/``: who waits in it, and what happens."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote, urlsplit

from workbench.core import sse
from workbench.io.http_client import PORTS, host_and_port

if TYPE_CHECKING:
    from http.client import HTTPConnection, HTTPResponse

CALL_SECONDS: Final = 5.0
# The server says something at least this often, or it is gone.
EVENT_SECONDS: Final = 40.0
RETRY_SECONDS: Final = 2.0
# A server without a control API may be replaced by one that has it; its log is not to be filled
# with questions until then.
FOREIGN_RETRY_SECONDS: Final = 60.0

_PREFIX: Final = "/__workbench/"

_Result = TypeVar("_Result")


class ControlError(Exception):
    """The server could not be asked, or said no; the text says which."""


class NotControllableError(ControlError):
    """The server has no control API: it is the reference, or another one."""


@dataclass(frozen=True, slots=True)
class HoldState:
    """Whether misses wait for their fixtures in the server, and how many seconds."""

    enabled: bool
    timeout_s: float

    @classmethod
    def of(cls, record: dict[str, Any]) -> HoldState:
        return cls(bool(record["enabled"]), float(record["timeout_s"]))


@dataclass(frozen=True, slots=True)
class HeldRequest:
    """Clients that wait for the answer to one digest; times are in seconds."""

    id: str
    digest: str
    age_s: float
    gives_up_in_s: float
    stream: bool
    clients: int

    @classmethod
    def of(cls, record: dict[str, Any]) -> HeldRequest:
        return cls(
            str(record["id"]),
            str(record["digest"]),
            float(record["age_s"]),
            float(record["gives_up_in_s"]),
            bool(record["stream"]),
            int(record["clients"]),
        )


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """Something that happened in the server; its kind and data are the API's."""

    kind: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ServerLost:
    """The server cannot be asked now; ``is_controllable`` is False where it never can."""

    is_controllable: bool = True


class ControlClient:
    """Asks one server. Every call is a connection of its own and may be made from any thread.

    Args:
        url: of the server; may end in ``/v1`` as clients want it.

    Raises (from every call):
        ControlError: nobody answers, or the answer is no.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._listening: HTTPConnection | None = None
        self._is_closed = False

    @property
    def host(self) -> str:
        """The server's host and port."""
        return host_and_port(self.url)

    def hold(self) -> HoldState:
        return _read_as(HoldState.of, self._call("GET", "hold"))

    def set_hold(self, *, enabled: bool) -> HoldState:
        return _read_as(HoldState.of, self._call("PUT", "hold", {"enabled": enabled}))

    def held(self) -> list[HeldRequest]:
        found = self._call("GET", "held")
        return _read_as(lambda records: [HeldRequest.of(record) for record in records], found)

    def answer(self, key: str, response: dict[str, Any]) -> None:
        """Give the clients of held request ``key`` the response of a fixture."""
        self._call("POST", f"held/{quote(key)}/answer", response)

    def release(self, key: str) -> None:
        """Give them what a miss gets."""
        self._call("POST", f"held/{quote(key)}/release")

    def extend(self, key: str) -> HeldRequest:
        """Let them wait five minutes longer."""
        return _read_as(HeldRequest.of, self._call("POST", f"held/{quote(key)}/extend"))

    def misses(self) -> list[dict[str, Any]]:
        """What had no fixture since the server started, without the requests."""
        return _read_as(lambda records: list(map(dict, records)), self._call("GET", "misses"))

    def miss(self, digest: str) -> dict[str, Any]:
        """One of them with its ``requests``."""
        return _read_as(dict, self._call("GET", f"misses/{digest}"))

    def _call(self, method: str, path: str, value: object = None) -> Any:
        from http.client import HTTPException

        body = b"" if value is None else json.dumps(value).encode("ascii")
        headers = {"Content-Type": "application/json"} if value is not None else {}
        connection = self._connection(CALL_SECONDS)
        with contextlib.closing(connection):
            try:
                connection.request(method, _PREFIX + path, body, headers)
                reply = connection.getresponse()
                data = reply.read()
            except (OSError, HTTPException) as error:
                raise ControlError(self._no_server(error)) from None
        if reply.status == 204:
            return None
        return self._read(reply.status, data)

    def _read(self, status: int, data: bytes) -> Any:
        try:
            value = json.loads(data)
            if status < 400:
                return value
            error = value["error"]
            code, message = str(error["code"]), str(error["message"])
        except (ValueError, TypeError, LookupError, RecursionError):
            raise _not_controllable() from None
        if code == "not_found" and "__workbench" in message:
            raise _not_controllable()
        raise ControlError(message)

    def _connection(self, timeout: float) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection, InvalidURL

        try:
            parts = urlsplit(self.url)
            kinds: dict[str, type[HTTPConnection]]
            kinds = {"http": HTTPConnection, "https": HTTPSConnection}
            return kinds[parts.scheme](parts.hostname or "", parts.port, timeout=timeout)
        except (KeyError, ValueError, InvalidURL):
            raise ControlError(f"{self.url} is no URL of a server") from None

    def _knock(self) -> None:
        """See whether anybody is there: where nobody is, nothing that speaks HTTP is needed."""
        try:
            parts = urlsplit(self.url)
            place = parts.hostname or "", parts.port or PORTS[parts.scheme]
        except (KeyError, ValueError):
            return  # what asks says what is wrong
        try:
            socket.create_connection(place, CALL_SECONDS).close()
        except OSError as error:
            raise ControlError(self._no_server(error)) from None

    def _no_server(self, error: Exception) -> str:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"no server at {self.host}: {reason or type(error).__name__}"

    # Events

    def events(self) -> Iterator[ServerEvent]:
        """What happens from now on, first how things stand; ends with the connection, or when
        ``close`` is called.
        """
        self._knock()
        from http.client import HTTPException

        connection = self._listening = self._connection(EVENT_SECONDS)
        with contextlib.closing(connection):
            try:
                connection.request("GET", _PREFIX + "events")
                reply = connection.getresponse()
                if reply.status != 200:
                    self._read(reply.status, reply.read())
                elif not reply.getheader("Content-Type", "").startswith("text/event-stream"):
                    raise _not_controllable()
                if self._is_closed:
                    return
                yield from _server_events(reply)
            except (OSError, HTTPException, ValueError, TypeError, AttributeError) as error:
                # AttributeError: the connection was closed by another thread just now.
                raise ControlError(self._no_server(error)) from None

    def close(self) -> None:
        """End ``events``, which may wait in another thread."""
        self._is_closed = True
        listening = self._listening
        if listening is not None and listening.sock is not None:
            with contextlib.suppress(OSError):
                listening.sock.shutdown(socket.SHUT_RDWR)


def _not_controllable() -> NotControllableError:
    return NotControllableError("this server has no control API")


def _read_as(read: Callable[[Any], _Result], value: Any) -> _Result:
    """What ``read`` makes of a reply. Raises NotControllableError where it is another server's."""
    try:
        return read(value)
    except (LookupError, TypeError, ValueError):
        raise _not_controllable() from None


def _server_events(reply: HTTPResponse) -> Iterator[ServerEvent]:
    lines = (line.decode().rstrip("\r\n") for line in iter(reply.readline, b""))
    for event in sse.of_lines(lines):
        yield ServerEvent(event.kind, dict(json.loads(event.data)))


async def follow(
    client: ControlClient, stop: asyncio.Event, *, retry: float = RETRY_SECONDS
) -> AsyncGenerator[list[ServerEvent | ServerLost], None]:
    """What happens in a server until ``stop``, in batches; one that is lost is tried again."""
    loop = asyncio.get_running_loop()
    news: asyncio.Queue[ServerEvent | ServerLost] = asyncio.Queue()
    has_ended = threading.Event()

    def listen() -> None:
        with contextlib.suppress(RuntimeError):  # the loop ended meanwhile
            while not has_ended.is_set():
                is_controllable = True
                try:
                    for event in client.events():
                        loop.call_soon_threadsafe(news.put_nowait, event)
                except NotControllableError:
                    is_controllable = False
                except ControlError:
                    pass
                loop.call_soon_threadsafe(news.put_nowait, ServerLost(is_controllable))
                has_ended.wait(retry if is_controllable else FOREIGN_RETRY_SECONDS)

    threading.Thread(target=listen, name="server events", daemon=True).start()
    stopping = loop.create_task(stop.wait())
    try:
        while True:
            waiting = loop.create_task(news.get())
            await asyncio.wait((waiting, stopping), return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                waiting.cancel()
                return
            batch = [waiting.result()]
            while not news.empty():
                batch.append(news.get_nowait())
            yield batch
    finally:
        has_ended.set()
        stopping.cancel()
        client.close()
