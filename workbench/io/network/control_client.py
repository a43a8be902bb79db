"""A client of a server's control API, ``/__workbench/``: held requests, misses and events."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from urllib.parse import quote

from workbench.core.apis import sse
from workbench.core.control_api import HeldRequest, HoldState, RunningState, ServerReport
from workbench.core.formats import FormatError, checked
from workbench.core.misses.record import MissRecord
from workbench.core.suite_tests import SuiteReport
from workbench.core.user_error import UserError
from workbench.io.network import http_client

if TYPE_CHECKING:
    import httpx

CALL_SECONDS: Final = 5.0
# The server sends something at least this often, or it is gone.
EVENT_SECONDS: Final = 40.0
RETRY_SECONDS: Final = 2.0
# A server without a control API may be replaced by one that has it; its log is not to be filled
# with questions until then.
FOREIGN_RETRY_SECONDS: Final = 60.0

_PREFIX: Final = "/__workbench/"

_Result = TypeVar("_Result")


class ControlError(UserError):
    """The server could not be reached, or it refused a request; the message has the reason."""


class NotControllableError(ControlError):
    """The server has no control API: it is the reference stub, or another program."""

    def __init__(self) -> None:
        super().__init__("this server has no control API")


class ServerEvent(NamedTuple):
    """Something that happened in the server; its kind and data are the API's."""

    kind: str
    data: dict[str, Any]


class ControlClient:
    """Asks one server, whose URL may end in ``/v1``. Every call but ``events`` blocks, and may be
    made from any thread.

    Args:
        patience: how many seconds a call waits for the next bytes of its reply.

    Raises (from every call):
        ControlError: the server does not answer, or refuses.
    """

    def __init__(self, url: str, patience: float = CALL_SECONDS) -> None:
        self.url = url
        self._patience = patience

    def state(self) -> ServerReport:
        return read_as(ServerReport, self._call("GET", "state"))

    def set_hold(self, *, enabled: bool) -> HoldState:
        return read_as(HoldState, self._call("PUT", "hold", {"enabled": enabled}))

    def set_running(self, name: str, test: str | None) -> None:
        """Report the test that runs in the process whose base URL has this name, or "" for none."""
        self._call("PUT", "running", {"name": name, "test": test})

    def reset(self) -> None:
        """Begin the sequences of all fixtures again, and forget the reported tests."""
        self._call("POST", "reset")

    def running(self, name: str) -> RunningState:
        """The test that runs in the process whose base URL has this name, or "" for none."""
        return read_as(RunningState, self._call("GET", f"running?name={quote(name, safe='')}"))

    def report_tests(self, report: Mapping[str, Any]) -> None:
        """Report tests of the suite: ``session`` and ``tests``."""
        self._call("POST", "tests", report)

    def tests(self, after: int = 0) -> SuiteReport:
        """The tests of the suite that changed after the change with this number."""
        return read_as(SuiteReport, self._call("GET", f"tests?after={after}"))

    def held(self) -> list[HeldRequest]:
        return read_as(list[HeldRequest], self._call("GET", "held"))

    def answer(self, key: str, response: dict[str, Any]) -> None:
        """Give the clients of held request ``key`` the response of a fixture."""
        self._call("POST", f"held/{quote(key)}/answer", response)

    def release(self, key: str) -> None:
        """Give its clients the reply of a miss."""
        self._call("POST", f"held/{quote(key)}/release")

    def extend(self, key: str) -> HeldRequest:
        """Let its clients wait five minutes longer."""
        return read_as(HeldRequest, self._call("POST", f"held/{quote(key)}/extend"))

    def misses(self) -> list[MissRecord]:
        """The misses since the server started, without their requests."""
        return read_as(list[MissRecord], self._call("GET", "misses"))

    def miss(self, digest: str) -> MissRecord:
        """One miss with its ``requests``."""
        return read_as(MissRecord, self._call("GET", f"misses/{digest}"))

    def _call(self, method: str, path: str, value: object = None) -> Any:
        import httpx

        try:
            with (
                http_client.client(self._patience) as asking,
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
            raise NotControllableError from None
        if code == "not_found" and "__workbench" in message:
            raise NotControllableError
        raise ControlError(message)

    def _no_server(self, error: Exception) -> ControlError:
        where = http_client.host_and_port(self.url)
        return ControlError(f"no server at {where}: {http_client.reason(error)}")

    async def events(self) -> AsyncGenerator[list[ServerEvent]]:
        """The events from now on, in lists of those that arrive together. The first is the present
        state. Ends with the connection.
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
                    raise NotControllableError
                async for events in _server_events(reply):
                    yield events
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise self._no_server(error) from None


def read_as(kind: type[_Result], value: object) -> _Result:
    """A value of the control API as a ``kind``. Loads pydantic, so not for the event loop.

    Raises:
        NotControllableError: it does not have that form: it is another program's.
    """
    try:
        return checked(kind, value)
    except FormatError:
        raise NotControllableError from None


async def _server_events(reply: httpx.Response) -> AsyncGenerator[list[ServerEvent]]:
    """The events of a stream, in batches as they are received."""
    waiting = b""
    async for part in reply.aiter_raw():
        whole, end, waiting = (waiting + part).rpartition(b"\n\n")
        if events := [_server_event(event) for event in sse.events(whole + end)]:
            yield events


def _server_event(event: sse.Event) -> ServerEvent:
    try:
        data = json.loads(event.data)
    except (ValueError, RecursionError):
        raise NotControllableError from None
    if not isinstance(data, dict):
        raise NotControllableError
    return ServerEvent(event.kind, data)


async def follow(
    client: ControlClient, *, retry: float = RETRY_SECONDS
) -> AsyncGenerator[list[ServerEvent]]:
    """The events of a server, in batches; an empty one when the connection is lost, which is then
    tried again.
    """
    import asyncio

    while True:
        pause = retry
        try:
            async for events in client.events():
                yield events
        except NotControllableError:
            pause = FOREIGN_RETRY_SECONDS
        except ControlError:
            pass
        yield []
        await asyncio.sleep(pause)
