"""State shared by the routes of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.replies.profile_names import ProfileName
from workbench.io.fixture.earlier import EarlierRequests
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.server.log import LogSink
from workbench.server.long_work import Turns
from workbench.server.running_tests import RunningTests
from workbench.server.suite_tests import ReportedSuite
from workbench.server.traffic import Traffic
from workbench.server.wire.waiting import Stop

# Loaded only by a server that is strict.
if TYPE_CHECKING:
    from workbench.server.misses.strict import Strict


class ServerState:
    """State shared by the routes of a server.

    Args:
        strict: a miss gets an error instead of the fallback.

    Attributes:
        fixtures: the fixtures that answer requests.
        profile: the format of replies.
        log: receives the lines of the reference stub.
        strict: writes that error; None if misses get the fallback.
        traffic: keeps requests and replies.
        earlier: the requests that later ones may refer to.
        stop: ends delays and held requests when the server ends.
        turns: the queue for work on long requests.
        running: the test that sends each request, with its position in each sequence.
        tests: the tests of the suite, with their results.
    """

    def __init__(
        self, fixtures: StoredFixtures, profile: ProfileName, log: LogSink, *, strict: bool = False
    ) -> None:
        self.fixtures = fixtures
        self.profile = profile
        self.log = log
        self.strict = _strict(fixtures, log) if strict else None
        self.traffic = Traffic(profile, log)
        self.earlier = EarlierRequests(fixtures)
        self.stop = Stop()
        self.turns = Turns()
        self.running = RunningTests()
        self.tests = ReportedSuite(self.traffic.events)


def _strict(fixtures: StoredFixtures, log: LogSink) -> Strict:
    from workbench.server.misses.strict import Strict

    return Strict(fixtures, log.path)
