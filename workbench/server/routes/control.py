"""The control API under ``/__workbench/``: the state of the server and its held requests."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Collection, Mapping
from typing import Any, Final

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route, Router

import workbench
from workbench.core.answering.errors import RefusedError
from workbench.core.apis.table import view
from workbench.core.control_api import HoldState, ServerReport
from workbench.core.json.values import is_number
from workbench.core.misses.miss import Miss
from workbench.core.misses.record import MissRecord, RecordState
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.io.fixture.ignore_list import ignored
from workbench.server.long_work import Turns
from workbench.server.misses.hold import EXTENSION_SECONDS, MAX_SECONDS, Hold
from workbench.server.state import ServerState
from workbench.server.suite_tests import read_report
from workbench.server.wire.guard import PREFIX, Guard
from workbench.server.wire.incoming import read_json
from workbench.server.wire.responses import UNBUFFERED, json_response

# More than numbers of exchanges and of tests have, less than Python refuses to read.
MAX_DIGITS: Final = 20


class Control:
    """The endpoints of the control API."""

    def __init__(self, server: ServerState, hold: Hold) -> None:
        self.server = server
        self.hold = hold
        self.turns = Turns()
        self.server_id = secrets.token_hex(8)

    def mount(self, allowed_hosts: Collection[str]) -> Mount:
        """Their routes, only for programs on this machine."""
        routes = [
            Route("/misses", self._get_misses),
            Route("/misses/{digest}", self._get_miss),
            Route("/exchanges", self._get_exchanges),
            Route("/state", self._get_state),
            Route("/events", self._get_events),
            Route("/running", self._get_running),
            Route("/running", self._set_running, methods=["PUT"]),
            Route("/tests", self._get_tests),
            Route("/tests", self._add_tests, methods=["POST"]),
            Route("/reset", self._reset, methods=["POST"]),
            Route("/hold", self._hold_setting, methods=["GET", "PUT"]),
            Route("/held", self._get_held),
            Route("/held/{id}/answer", self._answer, methods=["POST"]),
            Route("/held/{id}/release", self._release, methods=["POST"]),
            Route("/held/{id}/extend", self._extend, methods=["POST"]),
        ]
        return Mount(
            PREFIX,
            Router(routes, redirect_slashes=False),
            middleware=[Middleware(Guard, allowed_hosts=allowed_hosts)],
        )

    # Misses, exchanges and events

    async def _get_misses(self, request: Request) -> Response:  # noqa: ARG002
        """All misses and unsupported requests since the start, as in ``workbench misses --format
        json``.
        """
        index = self.server.traffic.misses
        rows = [*index.misses.values(), *index.unsupported.values()]
        return json_response(await asyncio.to_thread(self._records, rows, self.hold.digests))

    async def _get_miss(self, request: Request) -> Response:
        """One miss, with its ``requests``."""
        digest = request.path_params["digest"]
        miss = self.server.traffic.misses.misses.get(digest)
        if miss is None:
            raise RefusedError(
                404, "not_found", f"this server has no miss with the digest {digest!a}"
            )
        (record,) = await asyncio.to_thread(
            self._records, [miss], self.hold.digests, with_requests=True
        )
        return json_response(record)

    def _records(
        self, misses: list[Miss], held: Collection[str], *, with_requests: bool = False
    ) -> list[dict[str, Any]]:
        """The records of misses, with the present state of the files. May be called in any
        thread.
        """
        reasons = ignored(self.server.fixtures.store.folder)
        return [
            self._record(miss, held, reasons, with_requests=with_requests).record()
            for miss in misses
        ]

    def _record(
        self, miss: Miss, held: Collection[str], reasons: Collection[str], *, with_requests: bool
    ) -> MissRecord:
        if miss.unsupported is not None:
            return MissRecord.of(miss, ignored=miss.name in reasons)
        index = self.server.traffic.misses
        payloads = index.payloads(miss.digest) if with_requests else []
        payload = payloads[0] if payloads else index.payload(miss.digest)
        return MissRecord.of(
            miss,
            payload,
            state=self._state(miss.digest, payload),
            ignored=miss.digest in reasons,
            held=miss.digest in held,
            requests=payloads if with_requests else None,
        )

    def _state(self, digest: str, payload: Payload | None) -> RecordState:
        fixtures, request = self.server.fixtures, None if payload is None else view(payload)
        try:
            name = digest if request is None else fixtures.store.name_for(digest, request)
            reply = fixtures.store.reply(name)
        except FixtureError:
            return "broken"
        if reply is None and request is not None:
            return "missing" if fixtures.equivalents.load(request) is None else "answered"
        return "missing" if reply is None else "answered"

    async def _get_exchanges(self, request: Request) -> Response:
        """The most recent exchanges. ``?after=ID`` returns only later ones."""
        exchanges = self.server.traffic.exchanges_after(_after(request))
        return json_response([exchange.record() for exchange in exchanges])

    async def _get_state(self, request: Request) -> Response:  # noqa: ARG002
        """The present state: ``{server, version, fixtures, profile, strict, hold, ignored,
        log}``. ``server`` is an id that changes with each start. ``strict`` is true if a miss gets
        an error. ``hold`` is the same as under ``/hold``. ``ignored`` lists the options of requests
        that replies did not honour. ``log`` is the path of the log file, or "".
        """
        return json_response(self._state_record())

    async def _get_events(self, request: Request) -> Response:  # noqa: ARG002
        """A stream of server-sent events. The first event, ``hello``, has the present state."""
        events = self.server.traffic.events.stream(self._state_record)
        return StreamingResponse(events, headers=UNBUFFERED, media_type="text/event-stream")

    def _state_record(self) -> dict[str, Any]:
        log = self.server.log.path
        report = ServerReport(
            server=self.server_id,
            version=workbench.__version__,
            fixtures=os.path.abspath(self.server.fixtures.store.folder),
            profile=self.server.profile,
            strict=self.server.strict is not None,
            hold=self._hold_state(),
            ignored=[*self.server.traffic.ignored],
            log="" if log is None else os.path.abspath(log),
        )
        return {**report._asdict(), "hold": report.hold._asdict()}

    async def _get_running(self, request: Request) -> Response:
        """The test that runs now in the process with the `name` in the query, and for how many
        seconds requests of it have been held: `{test, held_s}`.
        """
        test = self.server.running.of(request.query_params.get("name", ""), request.scope)
        return json_response({"test": test.name or None, "held_s": round(test.held_s, 3)})

    async def _set_running(self, request: Request) -> Response:
        """Set the ``test`` that runs now. ``name`` is the NAME in ``/as/NAME``, or ""."""
        body = await read_json(request, self.turns)
        name, test = body.get("name", ""), body.get("test")
        if not isinstance(name, str) or not isinstance(test, str | None):
            raise RefusedError(
                400, "invalid_value", "name must be a string, and test a string or null"
            )
        self.server.running.set(name, test)
        if test is not None:
            self.server.tests.begins(test)
        return Response(status_code=204)

    async def _get_tests(self, request: Request) -> Response:
        """The tests of the suite: ``{run, last, session, tests}``. ``?after=NUMBER`` returns the
        tests that changed since. Each test is ``{id, outcome, is_whole, seconds, reruns, failure,
        output, requests, number}``. ``last`` is the highest ``number``. ``run`` changes with
        ``/reset``. The event ``tests`` is sent when some changed.
        """
        report = self.server.tests.after(_after(request))
        session = None if report.session is None else report.session._asdict()
        tests = [test._asdict() for test in report.tests]
        return json_response({**report._asdict(), "session": session, "tests": tests})

    async def _add_tests(self, request: Request) -> Response:
        """Report up to 1,000 ``tests`` of the suite and their ``session``. A test is ``{id,
        outcome, seconds, reruns, failure, output}``. ``outcome`` is ``running``, ``passed``,
        ``failed``, ``error``, ``skipped``, ``xfailed`` or ``xpassed``. The ends of ``failure`` and
        ``output`` are kept, without secrets. A session is ``{root, arguments, paths, collected}``.
        """
        body = await read_json(request, self.turns)
        self.server.tests.take(*await asyncio.to_thread(read_report, body))
        return Response(status_code=204)

    async def _reset(self, request: Request) -> Response:  # noqa: ARG002
        """Start the sequences of all fixtures again, as a new run of the suite does: the next
        request of each test gets the first answer of ``first``. The server forgets the tests of the
        last run. It keeps misses and exchanges.
        """
        self.server.running.begin_again()
        self.server.tests.begin_again()
        return Response(status_code=204)

    # Held requests

    async def _hold_setting(self, request: Request) -> Response:
        """The state of hold: ``{enabled, timeout_s, possible}``. ``possible`` is false on a server
        that records or replays. PUT changes ``enabled`` and ``timeout_s``.
        """
        if request.method == "PUT":
            await self._set_hold(request)
        return json_response(self._hold_state()._asdict())

    def _hold_state(self) -> HoldState:
        hold = self.hold
        return HoldState(hold.enabled, hold.timeout_s, hold.is_possible)

    async def _set_hold(self, request: Request) -> None:
        body = await read_json(request, self.turns)
        for name in body.keys() - {"enabled", "timeout_s"}:
            raise RefusedError(
                400, "unknown_key", f"unknown key {name!a}; expected enabled or timeout_s"
            )
        enabled = body.get("enabled", self.hold.enabled)
        if not isinstance(enabled, bool):
            raise RefusedError(400, "invalid_value", "enabled must be true or false")
        if enabled and not self.hold.is_possible:
            raise RefusedError(
                409, "cannot_hold", "a server that records or replays cannot hold requests"
            )
        self.hold.timeout_s = _seconds(body, "timeout_s", self.hold.timeout_s)
        self.hold.enabled = enabled
        self.server.traffic.events.publish("hold", self._hold_state()._asdict())

    async def _get_held(self, request: Request) -> Response:  # noqa: ARG002
        """The held requests: ``[{id, digest, age_s, gives_up_in_s, stream, clients, begun,
        variant}]``. ``begun`` counts the clients that already got status 200. Requests with one
        digest but different tools or output formats are separate entries with a ``variant`` each.
        """
        return json_response(self.hold.records())

    async def _answer(self, request: Request) -> Response:
        """Answer a held request with the ``response`` of a fixture, which is the body. No fixture
        is saved.
        """
        response = await read_json(request, self.turns)
        try:
            self.hold.answer_once(request.path_params["id"], response)
        except FixtureError as error:
            raise RefusedError(400, error.rule, str(error)) from None
        return Response(status_code=204)

    async def _release(self, request: Request) -> Response:
        """Give a held request what a miss gets: the fallback, or the error of ``--strict``."""
        self.hold.release(request.path_params["id"])
        return Response(status_code=204)

    async def _extend(self, request: Request) -> Response:
        """Let a held request wait longer: by the ``seconds`` in the body, or by five minutes."""
        body = await read_json(request, self.turns, default=b"{}")
        seconds = _seconds(body, "seconds", EXTENSION_SECONDS)
        return json_response(self.hold.extend(request.path_params["id"], seconds))


def _after(request: Request) -> int:
    """The number ``after`` in the query; 0 where it is not there."""
    text = request.query_params.get("after", "0")
    if not (text.isdecimal() and len(text) <= MAX_DIGITS):
        raise RefusedError(
            400, "invalid_value", f"after must be a whole number of at least 0, not {text!a}"
        )
    return int(text)


def _seconds(body: Mapping[str, Any], key: str, default: float) -> float:
    value = body.get(key, default)
    if not is_number(value) or not 0 < value <= MAX_SECONDS:
        raise RefusedError(
            400,
            "invalid_value",
            f"{key} must be a number of seconds above 0 and at most {MAX_SECONDS:g}",
        )
    return float(value)
