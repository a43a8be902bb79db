"""The events of logs, kept for one session after another: of a log that grows, each byte is read
once.
"""

from __future__ import annotations

import threading
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.log.reader import LogParser
from workbench.core.misses.index import IntakeEvent
from workbench.core.misses.intake import LogIntake
from workbench.io.logs.log_files import open_tail, why_not_a_log
from workbench.io.logs.spool import Spool
from workbench.io.logs.tail import LogChange, LogData, LogFailed, Tail


@dataclass
class _Log:
    """The part of one log that was read."""

    tail: Tail
    parser: LogParser = field(default_factory=LogParser)
    events: list[IntakeEvent] = field(default_factory=list)


class KeptLogs:
    """The events of logs as far as they were read. Thread-safe.

    Attributes:
        spool: has the dumps of the events, for every session that takes them.
    """

    def __init__(self) -> None:
        self.spool = Spool()
        self._intake = LogIntake(self.spool)
        self._logs: dict[Path, _Log] = {}
        self._lock = threading.Lock()

    def events(self, path: Path) -> list[IntakeEvent]:
        """All events of a log as it is now. Raises OSError if it cannot be read."""
        with self._lock:
            log = self._logs.get(path)
            if log is None:
                log = self._logs[path] = _Log(open_tail(path))
            try:
                self._read(log)
            except OSError:
                self._logs.pop(path).tail.close()
                raise
            # The last line may have no end yet; its event now is not kept.
            return [*log.events, *self._intake.read(deepcopy(log.parser).close())]

    def close(self) -> None:
        """Close the logs, and delete the temporary file of their dumps."""
        for log in self._logs.values():
            log.tail.close()
        self.spool.close()

    def _read(self, log: _Log) -> None:
        """Read what was appended. A log that was cut or replaced is read from its start."""
        while news := log.tail.read():
            for event in news:
                match event:
                    case LogData(data, offset):
                        if offset == 0 and (why := why_not_a_log(data)):
                            raise OSError(f"{log.tail.path}: {why}")
                        log.events += self._intake.read(log.parser.feed(data))
                    case LogFailed(reason):
                        raise OSError(f"{log.tail.path}: {reason}")
                    case LogChange.CUT | LogChange.REPLACED:
                        log.parser.restart()
                        log.events.clear()
