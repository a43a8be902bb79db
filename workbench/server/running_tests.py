"""Which test runs in each process that sends requests.

The pytest plugin reports it, by the name that the requests of the process have (``RequestHeads``).
Requests without a name belong to the process "". Each test, and each process without one, gets the
answers of sequences by itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from starlette.types import Scope

from workbench.core.log.lines import test_name
from workbench.io.fixture.asker import Asker
from workbench.server.wire.incoming import credentials_of

# Any client may use any name; of more than that the oldest are forgotten.
MAX_NAMES: Final = 1000


class RunningTest:
    """A test that runs in a process, or the name in a base URL without a reported test.

    Attributes:
        name: as in lines of the log; "" for neither.
        asker: receives the answers of sequences, one after the other.
    """

    def __init__(self, name: str, asker: Asker) -> None:
        self.name = test_name(name) if name else ""
        self.asker = asker
        self._waiting = 0
        self._since = 0.0
        self._held_s = 0.0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A block in which one of its requests is held."""
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._held_s += time.monotonic() - self._since

    @property
    def held_s(self) -> float:
        """Seconds in which at least one of its requests was held."""
        return self._held_s + (time.monotonic() - self._since if self._waiting else 0.0)


class RunningTests:
    """The test that runs in each process, by the name of the process."""

    def __init__(self) -> None:
        self._tests: dict[str, RunningTest] = {}
        # Of processes for which no test is reported.
        self._askers: dict[str, Asker] = {}
        self._unnamed = RunningTest("", Asker())

    def set(self, name: str, test: str | None) -> None:
        """Report that ``test`` runs now in the process ``name``; None: no test does. It gets each
        sequence from the start.
        """
        self._tests.pop(name, None)
        self._askers.pop(name, None)
        if test is not None:
            self._tests[name] = RunningTest(test, Asker())
            _forget_oldest(self._tests)
        elif not name:
            self._unnamed = RunningTest("", Asker())

    def of(self, name: str, scope: Scope) -> RunningTest:
        """The test that sends a request; where none was reported for the name, one of the name
        without credentials.
        """
        test = self._tests.get(name)
        if test is not None or not name:
            return test or self._unnamed
        return RunningTest(credentials_of(scope).path_masked(name), self._asker(name))

    def _asker(self, name: str) -> Asker:
        asker = self._askers.get(name)
        if asker is None:
            asker = self._askers[name] = Asker()
            _forget_oldest(self._askers)
        return asker

    def begin_again(self) -> None:
        """Begin all sequences again, for every test and process."""
        for test in (self._unnamed, *self._tests.values()):
            test.asker.begin_again()
        self._askers.clear()


def _forget_oldest(by_name: dict[str, Any]) -> None:
    if len(by_name) > MAX_NAMES:
        del by_name[next(iter(by_name))]
