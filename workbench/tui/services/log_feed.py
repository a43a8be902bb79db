"""Follows logs, and brings what changed into the session.

Reading, parsing and hashing run in threads; the session changes on the event loop.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic

from workbench.core.log.events import LogEvent
from workbench.core.log.reader import LogParser
from workbench.core.misses.index import IntakeEvent
from workbench.io.files.watcher import FolderWatcher
from workbench.io.logs.follow import follow
from workbench.io.logs.log_files import why_not_a_log
from workbench.io.logs.tail import (
    LogChange,
    LogData,
    LogFailed,
    Tail,
    TailEvent,
)
from workbench.session.log_status import LogStatus
from workbench.session.session import Session

# Events per update of the session; keys are handled in between.
TAKEN_AT_ONCE = 300
# Bytes of each log that are read before anything is listed: a screen of short requests. For long
# requests this may be only one row; more rows follow with the next part.
FIRST_PART = 1 << 15
# Seconds between updates of the list while a long log is read.
SHOW_SECONDS = 0.25


@dataclass
class LogFeed:
    """Follows until the watcher is closed, and reports by callbacks.

    Attributes:
        on_misses: called with the digests whose rows changed.
        on_note: called with a sentence about a log.
        on_ignored: called when the server may have ignored more options.
        begun: set when the first rows are in the list, or a log was read that has none.
        goes_on: set while more than that part may be read.
        logs: the state of each log that was added.
    """

    session: Session
    watcher: FolderWatcher
    on_misses: Callable[[set[str]], None]
    on_note: Callable[[str], None]
    on_ignored: Callable[[], None]
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)
    logs: dict[Tail, LogStatus] = field(default_factory=dict)
    _parsers: dict[Tail, LogParser] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.goes_on.set()

    def add(self, tail: Tail) -> None:
        """Add a log; ``follow_logs`` reads it."""
        # An existing log may be empty.
        state = "live" if os.path.exists(tail.path) else "waiting"
        self.logs[tail] = LogStatus(tail.path.name or str(tail.path), state)
        self._parsers[tail] = LogParser()

    async def follow_logs(self, tails: Sequence[Tail]) -> None:
        """Read logs, which were added, to their ends; then follow them."""
        changed: set[str] = set()
        last_shown = 0.0
        if not any(map(_has_content, tails)):
            self.begun.set()
        loop = asyncio.get_running_loop()
        # One thread for all logs: each thread keeps a buffer of its own.
        reading = ThreadPoolExecutor(1, "reading-logs")
        try:
            async for tail, events in follow(
                tails, self.watcher, first=FIRST_PART, threads=reading
            ):
                for update in await loop.run_in_executor(reading, self._read, tail, events):
                    if update is None:
                        self.session.miss_index.start_run()
                    else:
                        changed |= self.session.take_log(update)
                        self.on_ignored()
                    await asyncio.sleep(0)
                self._update_status(tail, events)
                if changed and not (tail.backlog and monotonic() < last_shown + SHOW_SECONDS):
                    self.on_misses(changed)
                    changed, last_shown = set(), monotonic()
                # Where the first part has no rows, the next ones are read, too.
                if self.session.miss_index.rows or not tail.backlog:
                    self.begun.set()
                    await self.goes_on.wait()
        finally:
            self.begun.set()
            reading.shutdown(wait=False)

    def _read(self, tail: Tail, events: Sequence[TailEvent]) -> list[list[IntakeEvent] | None]:
        """Parse and hash, in a thread; None where the log was cut or replaced, which begins a suite
        run.
        """
        parser = self._parsers[tail]
        updates: list[list[IntakeEvent] | None] = []
        for event in events:
            if isinstance(event, LogData):
                updates += self._updates(parser.feed(event.data))
            elif event in (LogChange.CUT, LogChange.REPLACED):
                updates += self._updates(parser.close())
                updates.append(None)
                parser.restart()
            elif event is LogChange.ENDED:
                updates += self._updates(parser.close())
        return updates

    def _updates(self, events: Sequence[LogEvent]) -> Iterator[list[IntakeEvent]]:
        for begin in range(0, len(events), TAKEN_AT_ONCE):
            yield self.session.intake.read(events[begin : begin + TAKEN_AT_ONCE])

    def _update_status(self, tail: Tail, events: Iterable[TailEvent]) -> None:
        """Update the state of a log, and report what happened to it."""
        status = self.logs[tail]
        before = status.state
        for event in events:
            match event:
                case LogData(data, offset):
                    if offset == 0 or status.bytes_read == 0:
                        status.trouble = why_not_a_log(data)
                        if status.trouble:
                            self.on_note(f"{status.name} cannot be read: {status.trouble}.")
                    status.state = "unreadable" if status.trouble else "live"
                    status.bytes_read += len(data)
                case LogChange.CUT:
                    self.on_note("The log was cut; reading on from its start.")
                case LogChange.REPLACED:
                    self.on_note("The log was replaced; reading the new one.")
                case LogChange.GONE:
                    status.state = "gone"
                    self.on_note(f"{status.name} is gone; waiting for it.")
                case LogChange.ENDED:
                    status.state = "ended"
                case LogFailed(reason):
                    self.on_note(f"{status.name} cannot be read: {reason}.")
                    status.state = "unreadable"
                    if not status.bytes_read:
                        status.trouble = reason
        if status.state != before:
            self.on_misses(set())


def _has_content(tail: Tail) -> bool:
    try:
        return os.stat(tail.path).st_size > 0
    except OSError:
        return False
