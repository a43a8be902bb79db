"""A client of a server's control API, ``/__workbench/``: who waits in it, and what happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

from workbench.core import sse
from workbench.io import http_client

if TYPE_CHECKING:
    import httpx

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
    """Asks one server. Every call but ``events`` blocks, and may be made from any thread.

    Args:
        url: of the server; may end in ``/v1`` as clients want it.

    Raises (from every call):
        ControlError: nobody answers, or the answer is no.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def host(self) -> str:
        """The server's host and port."""
        return http_client.host_and_port(self.url)

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
        import httpx

        try:
            with (
                http_client.client(CALL_SECONDS) as asking,
                asking.stream(method, self._address(path), json=value) as reply,
            ):
                data = b"".join(reply.iter_raw())
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise self._no_server(error) from None
        if reply.status_code == httpx.codes.NO_CONTENT:
            return None
        return self._read(reply.status_code, data)

    def _address(self, path: str) -> httpx.URL:
        import httpx

        return httpx.URL(self.url).join(_PREFIX + path)

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

    def _no_server(self, error: Exception) -> ControlError:
        return ControlError(f"no server at {self.host}: {http_client.reason(error)}")

    async def events(self) -> AsyncGenerator[list[ServerEvent]]:
        """What happens from now on, first how things stand; those that come together as one list.
        Ends with the connection.
        """
        await http_client.load()
        import httpx

        try:
            async with (
                http_client.async_client(EVENT_SECONDS) as asking,
                asking.stream("GET", self._address("events")) as reply,
            ):
                if reply.status_code != httpx.codes.OK:
                    data = b"".join([part async for part in reply.aiter_raw()])
                    self._read(reply.status_code, data)
                if not reply.headers.get("Content-Type", "").startswith("text/event-stream"):
                    raise _not_controllable()
                async for events in _server_events(reply):
                    yield events
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise self._no_server(error) from None


def _not_controllable() -> NotControllableError:
    return NotControllableError("this server has no control API")


def _read_as(read: Callable[[Any], _Result], value: Any) -> _Result:
    """What ``read`` makes of a reply. Raises NotControllableError where it is another server's."""
    try:
        return read(value)
    except (LookupError, TypeError, ValueError):
        raise _not_controllable() from None


async def _server_events(reply: httpx.Response) -> AsyncGenerator[list[ServerEvent]]:
    """The events of a stream, in the batches in which their bytes come."""
    waiting = b""
    async for part in reply.aiter_raw():
        whole, end, waiting = (waiting + part).rpartition(b"\n\n")
        events = [
            _read_as(lambda event: ServerEvent(event.kind, dict(json.loads(event.data))), event)
            for event in sse.events(whole + end)
        ]
        if events:
            yield events


async def follow(
    client: ControlClient, *, retry: float = RETRY_SECONDS
) -> AsyncGenerator[list[ServerEvent | ServerLost]]:
    """What happens in a server, in batches; one that is lost is tried again."""
    while True:
        is_controllable = True
        try:
            async for events in client.events():
                yield [*events]
        except NotControllableError:
            is_controllable = False
        except ControlError:
            pass
        yield [ServerLost(is_controllable)]
        await asyncio.sleep(retry if is_controllable else FOREIGN_RETRY_SECONDS)
