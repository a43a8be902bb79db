"""The control API under ``/__workbench/``: what the server sees, and who waits in it.

It is for programs on this machine: a web page cannot drive it, whatever name it was loaded under.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Final
from urllib.parse import parse_qs

from workbench.core.fixtures import FixtureError
from workbench.core.reply import fixture_reply
from workbench.core.wire import json_body
from workbench.io.ignore_list import IgnoreList
from workbench.io.store import FixtureStore
from workbench.server.events import Events, sse_event
from workbench.server.exchanges import Miss, Record
from workbench.server.hold import EXTENSION_SECONDS, MAX_SECONDS, Hold, NotHeldError
from workbench.server.http import RefusedError, Request, Stop
from workbench.server.ignored import IgnoredOptions
from workbench.server.sending import STREAM, Sender
from workbench.server.unsupported import UnsupportedRequests

PREFIX: Final = "/__workbench/"
# A listener hears something this often, so that both sides learn when the other is gone.
SIGN_SECONDS: Final = 15.0
# More than ids of exchanges have, less than Python refuses to read.
MAX_DIGITS: Final = 20

_HOST: Final = re.compile(r"(\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\s\[\]:@/,]+?)\.?)(:[0-9]*)?")

Handler = Callable[[Request], Awaitable[None]]


class Control:
    """Answers what is asked under ``PREFIX``.

    Args:
        allowed_hosts: more names that the server may be asked under, lower case.
    """

    def __init__(
        self,
        store: FixtureStore,
        hold: Hold,
        record: Record,
        unsupported: UnsupportedRequests,
        events: Events,
        ignored: IgnoredOptions,
        sender: Sender,
        stop: Stop,
        *,
        allowed_hosts: Collection[str] = (),
    ) -> None:
        self._store = store
        self._hold = hold
        self._misses = record.misses
        self._exchanges = record.exchanges
        self._unsupported = unsupported
        self._events = events
        self._ignored = ignored
        self._sender = sender
        self._stop = stop
        self._allowed_hosts = frozenset(allowed_hosts)
        self._server_id = secrets.token_hex(8)

    async def __call__(self, request: Request) -> None:
        try:
            self._check_origin(request)
            await self._handler(request)(request)
        except RefusedError as error:
            # Not left to the application, whose replies any web page may read.
            await self._sender.refuse(request, error)

    def _check_origin(self, request: Request) -> None:
        # What a page embeds is asked for without an origin; a person who types the address sends
        # neither, or says that no page is behind it.
        site = request.headers.get(b"sec-fetch-site", b"none")
        if b"origin" in request.headers or site != b"none":
            raise RefusedError(403, "origin_not_allowed", "web pages may not ask here")
        server = request.scope.get("server") or ("", 0)
        hosts = [value for name, value in request.scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._is_ours(host_name(hosts[0]), server[0]):
            raise RefusedError(
                403,
                "host_not_allowed",
                f"this server is not known as {b', '.join(hosts).decode('latin-1')!a}; "
                "workbench serve --allow-host NAME makes it known",
            )

    def _is_ours(self, name: str, bound: str) -> bool:
        if name in self._allowed_hosts or name in ("localhost", bound):
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False

    def _handler(self, request: Request) -> Handler:
        """Raises RefusedError where there is none."""
        methods = self._methods(request.path.removeprefix(PREFIX).split("/"))
        if methods is None:
            raise RefusedError(404, "not_found", f"there is no {request.target}")
        handler = methods.get(request.method)
        if handler is None:
            taken = ", ".join(methods)
            raise RefusedError(
                405,
                "method_not_allowed",
                f"{request.path} takes {taken}, not {request.method}",
                (("Allow", taken),),
            )
        return handler

    def _methods(self, path: list[str]) -> Mapping[str, Handler] | None:
        match path:
            case ["misses"]:
                return {"GET": self._get_misses}
            case ["misses", digest]:
                return {"GET": lambda request: self._get_miss(request, digest)}
            case ["exchanges"]:
                return {"GET": self._get_exchanges}
            case ["events"]:
                return {"GET": self._get_events}
            case ["hold"]:
                return {"GET": self._get_hold, "PUT": self._put_hold}
            case ["held"]:
                return {"GET": self._get_held}
            case ["held", key, "answer"]:
                return {"POST": lambda request: self._answer(request, key)}
            case ["held", key, "release"]:
                return {"POST": lambda request: self._release(request, key)}
            case ["held", key, "extend"]:
                return {"POST": lambda request: self._extend(request, key)}
        return None

    # What was asked

    async def _get_misses(self, request: Request) -> None:
        held = self._hold.digests
        records = await asyncio.to_thread(self._miss_records, list(self._misses), held)
        unsupported = self._unsupported.records()
        reasons = await asyncio.to_thread(self._ignore_reasons)
        for record in unsupported:
            record["ignored"] = f"{record['method']} {record['path']}" in reasons
        await self._reply(request, [*records, *unsupported])

    async def _get_miss(self, request: Request, digest: str) -> None:
        miss = self._misses.get(digest)
        if miss is None:
            raise RefusedError(404, "not_found", f"{digest!a} is no miss of this server")
        (record,) = self._miss_records([miss], self._hold.digests)
        await self._reply(request, {**record, "requests": miss.requests})

    def _miss_records(self, misses: list[Miss], held: Collection[str]) -> list[dict[str, Any]]:
        """With what files say now. To be called in any thread."""
        reasons = self._ignore_reasons()
        return [
            {
                **miss.record(),
                "state": self._state(miss.digest),
                "ignored": miss.digest in reasons,
                "held": miss.digest in held,
            }
            for miss in misses
        ]

    def _ignore_reasons(self) -> dict[str, str]:
        """What the ignore list says now. To be called in any thread."""
        ignore = IgnoreList(self._store.folder)
        with contextlib.suppress(OSError):  # a list that cannot be read names nothing
            ignore.load()
        return ignore.reasons

    def _state(self, digest: str) -> str:
        try:
            fixture = self._store.load(digest)
            if fixture is not None:
                fixture_reply(fixture, {})
        except FixtureError:
            return "broken"
        return "missing" if fixture is None else "answered"

    async def _get_exchanges(self, request: Request) -> None:
        given = parse_qs(request.scope["query_string"].decode("latin-1")).get("after", ["0"])[0]
        if not (given.isdecimal() and len(given) <= MAX_DIGITS):
            raise RefusedError(
                400, "invalid_value", f"after is {given!a}, not the id of an exchange"
            )
        found = self._exchanges.after(int(given))
        await self._reply(request, [exchange.record() for exchange in found])

    async def _get_events(self, request: Request) -> None:
        """Tell what happens until the client leaves. First comes how things stand."""
        listener = self._events.listen()
        try:
            await self._sender.start(request, STREAM)
            hello = {
                "server": self._server_id,
                "hold": self._hold_state(),
                "ignored": self._ignored.said,
            }
            await request.send(sse_event("hello", hello), more=True)
            while not (listener.is_left or self._stop.future.done()):
                await request.wait(SIGN_SECONDS, listener.news, self._stop.future)
                if not self._stop.future.done():
                    await request.send(listener.read() or b":\n\n", more=True)
            await request.send(listener.read())
        finally:
            self._events.leave(listener)

    # Who waits

    async def _get_hold(self, request: Request) -> None:
        await self._reply(request, self._hold_state())

    def _hold_state(self) -> dict[str, Any]:
        return {"enabled": self._hold.enabled, "timeout_s": self._hold.timeout_s}

    async def _put_hold(self, request: Request) -> None:
        given = await request.payload()
        for name in given.keys() - {"enabled", "timeout_s"}:
            raise RefusedError(400, "unknown_key", f"{name!a} is neither enabled nor timeout_s")
        enabled = given.get("enabled", self._hold.enabled)
        if not isinstance(enabled, bool):
            raise RefusedError(400, "invalid_value", "enabled is true or false")
        self._hold.timeout_s = _seconds(given, "timeout_s", self._hold.timeout_s)
        self._hold.enabled = enabled
        self._events.tell("hold", self._hold_state())
        await self._reply(request, self._hold_state())

    async def _get_held(self, request: Request) -> None:
        await self._reply(request, self._hold.records())

    async def _answer(self, request: Request, key: str) -> None:
        response = await request.payload()
        try:
            self._hold.answer_once(key, response)
        except FixtureError as error:
            raise RefusedError(400, error.rule, str(error)) from None
        except NotHeldError:
            raise _not_held(key) from None
        await self._sender.no_content(request)

    async def _release(self, request: Request, key: str) -> None:
        try:
            self._hold.release(key)
        except NotHeldError:
            raise _not_held(key) from None
        await self._sender.no_content(request)

    async def _extend(self, request: Request, key: str) -> None:
        """By the ``seconds`` in the body, where there is one."""
        given = await request.payload(default=b"{}")
        try:
            record = self._hold.extend(key, _seconds(given, "seconds", EXTENSION_SECONDS))
        except NotHeldError:
            raise _not_held(key) from None
        await self._reply(request, record)

    async def _reply(self, request: Request, value: object) -> None:
        await self._sender.json(request, 200, json_body(value))


def host_name(host: bytes | str) -> str:
    """The name in a ``Host`` header, without its port and in lower case; "" where it is none."""
    text = host.decode("latin-1") if isinstance(host, bytes) else host
    found = _HOST.fullmatch(text.strip().lower())
    return "" if found is None else found["address"] or found["name"]


def _seconds(given: Mapping[str, Any], key: str, default: float) -> float:
    value = given.get(key, default)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value <= MAX_SECONDS:
        raise RefusedError(
            400, "invalid_value", f"{key} is a number of seconds, above 0 and up to {MAX_SECONDS:g}"
        )
    return float(value)


def _not_held(key: str) -> RefusedError:
    return RefusedError(404, "not_held", f"no request waits under {key!a}")
