"""Follows the server's events: held requests and, where no log is read, its misses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from workbench.core.apis.ignored import IGNORED_OPTIONS
from workbench.core.control_api import HoldState, ServerReport
from workbench.core.log.events import FixtureServed, OptionIgnored
from workbench.core.misses.index import IntakeEvent
from workbench.io.network.control_client import (
    ControlClient,
    ControlError,
    ServerEvent,
    follow,
    read_as,
)
from workbench.io.network.server_misses import ServerMisses
from workbench.session.misses.held import EndedWait
from workbench.session.session import Session

# Events that change who is held.
_HELD_KINDS = frozenset({"hello", "held", "gone", "answered", "released"})


@dataclass
class ServerFeed:
    """Follows one server, and reports through callbacks.

    Attributes:
        reads_log: returns True if misses are read from a log.
        on_misses: called with the digests whose rows changed.
        on_held: called with the digests that began or ceased to be held; with none when only the
            hold setting changed.
        on_ignored: called when the server may have ignored more options.
        on_ended: called with an event that ended a wait.
        on_profile: called when the server reports another profile, or another reply to misses, than
            before.
        on_tests: called when tests of the suite may have changed.
        on_unrecorded: called with the digest of an exchange that could not be recorded, and the
            reason.
    """

    session: Session
    reads_log: Callable[[], bool]
    on_misses: Callable[[set[str]], None]
    on_held: Callable[[set[str]], None]
    on_ignored: Callable[[], None]
    on_ended: Callable[[ServerEvent], None]
    on_profile: Callable[[], None]
    on_tests: Callable[[], None]
    on_unrecorded: Callable[[str, str], None]
    _client: ControlClient = field(init=False)
    _misses: ServerMisses = field(init=False)

    def __post_init__(self) -> None:
        self._client = self.session.server.client
        self._misses = ServerMisses(self._client, self.session.intake)

    async def follow(self) -> None:
        """Follow the server until cancelled."""
        async with aclosing(follow(self._client)) as batches:
            async for events in batches:
                try:
                    await self._take(events)
                except ControlError:
                    self._lost()  # the next event reads everything again

    async def _take(self, events: Sequence[ServerEvent]) -> None:
        if not events:
            self._lost()
            return
        if not self.reads_log():
            await self._take_misses(events)
        kinds, held = {event.kind for event in events}, self.session.held
        server = self.session.server
        serving = server.serving
        for event in events:
            if event.kind == "hello":
                report = await asyncio.to_thread(read_as, ServerReport, event.data)
                server.take_report(report)
            elif event.kind == "hold":
                server.hold = await asyncio.to_thread(read_as, HoldState, event.data)
            if ended := EndedWait.of(
                event.kind, event.data, misses_fail=server.serving.misses_fail
            ):
                held.ended[event.data["digest"]] = ended
        if server.serving != serving:
            self.on_profile()
        if kinds & _HELD_KINDS:
            requests = await asyncio.to_thread(self._client.held)
            self.on_held(held.take(requests))
        elif "hold" in kinds:
            self.on_held(set())
        if kinds & {"hello", "tests"}:
            self.on_tests()
        for event in events:
            if event.kind in ("gone", "answered", "released", "cut_off"):
                self.on_ended(event)
            elif event.kind == "not_recorded":
                self.on_unrecorded(str(event.data["digest"]), str(event.data["reason"]))

    async def _take_misses(self, events: Iterable[ServerEvent]) -> None:
        changed: set[str] = set()
        for batch in await asyncio.to_thread(lambda: [self._read(event) for event in events]):
            changed |= self.session.take_log(batch)
        if changed:
            self.on_misses(changed)
        self.on_ignored()

    def _read(self, event: ServerEvent) -> list[IntakeEvent]:
        return list(self._news(event.kind, event.data))

    def _news(self, kind: str, data: dict[str, Any]) -> Iterable[IntakeEvent]:
        """The misses, hits and ignored options in an event of the server."""
        if kind == "hello":
            report = read_as(ServerReport, data)
            ignored = map(_ignored, report.ignored)
            return chain(self._misses.connected(report.server, report.fixtures), *ignored)
        if kind in ("miss", "unsupported"):
            return self._misses.read(data)
        if kind == "served" and data["source"] == "fixture":
            return [FixtureServed(str(data["digest"]))]
        if kind == "ignored":
            return _ignored(data["option"])
        return []

    def _lost(self) -> None:
        was_known = self.session.server.lose()
        changed = self.session.held.take([])
        if was_known or changed:
            self.on_held(changed)


def _ignored(option: object) -> list[OptionIgnored]:
    """The event for an option that the server ignored; none for an unknown one."""
    return [OptionIgnored(name) for name in IGNORED_OPTIONS if name == option]
