"""The tabs of the main screen. Their modules are loaded at their first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.session.session import Session
from workbench.tui.misses.tab import MissesTab
from workbench.tui.workspace.tab import Tab


@dataclass(frozen=True)
class TabEntry:
    """A tab's description for the header, the keys and the palette.

    Attributes:
        id: in lower case; its title is the same.
        about: a sentence without full stop.
        make: makes the tab.
        count: how many items of interest it lists; None for no number.
        has_content: returns True if there is something to show; None for a tab that always has
            content. The header leaves out an empty tab; its key shows it anyway, with a line about
            its purpose.
        lacking: the message if there is no such tab; "" if there is.
    """

    id: str
    about: str
    make: Callable[[Session], Tab]
    count: Callable[[Session], int | None] = lambda _: None
    has_content: Callable[[Session], bool] | None = None
    lacking: Callable[[Session], str] = lambda _: ""

    @property
    def title(self) -> str:
        return self.id.title()

    @property
    def key(self) -> str:
        """Its number, which is the key that shows it."""
        return str(TABS.index(self) + 1)


def _fixtures(session: Session) -> Tab:
    from workbench.tui.fixture.tab import FixturesTab

    return FixturesTab(session)


def _recordings(session: Session) -> Tab:
    from workbench.tui.recordings.tab import RecordingsTab

    return RecordingsTab(session)


def _evals(session: Session) -> Tab:
    from workbench.tui.evals.tab import EvalsTab

    return EvalsTab(session)


def _suite(session: Session) -> Tab:
    from workbench.tui.suite.tab import SuiteTab

    assert session.suite is not None
    return SuiteTab(session, session.suite)


def _failed_queries(session: Session) -> int | None:
    report = session.evals.newest
    return len(report.failed) if report is not None else None


def _no_suite(session: Session) -> str:
    is_there = session.suite is not None
    return "" if is_there else "There is no suite. workbench run -- COMMAND shows one here."


# fmt: off
# The count of misses is the count of its list, which exists from the start.
MISSES: Final = TabEntry(
    "misses", "The requests that had no fixture", MissesTab)
FIXTURES: Final = TabEntry(
    "fixtures", "The files of the fixtures folder", _fixtures,
    lambda session: len(session.fixtures.entries))
RECORDINGS: Final = TabEntry(
    "recordings", "What was recorded, exchange by exchange", _recordings,
    lambda session: len(session.recordings), lambda session: len(session.recordings) > 0)
EVALS: Final = TabEntry(
    "evals", "How the golden queries did, run by run", _evals, _failed_queries,
    lambda session: bool(session.evals.names))
SUITE: Final = TabEntry(
    "suite", "The tests and the output of workbench run", _suite, lacking=_no_suite)
# fmt: on

TABS: Final[Sequence[TabEntry]] = (MISSES, FIXTURES, RECORDINGS, EVALS, SUITE)
