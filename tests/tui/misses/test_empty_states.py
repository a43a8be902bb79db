"""What an empty list of misses says, in the room that there is."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from tests.session.support import asked, chat, open_session
from workbench.core.control_api import HoldState
from workbench.session.session import Session
from workbench.session.suite.suite import Suite
from workbench.tui.misses.empty_states import no_misses
from workbench.tui.services.log_feed import LogStatus
from workbench.tui.services.suite_feed import ended_sentence

# Columns of the list in a terminal of 80x24.
WIDTH = 78


def texts(session: Session) -> list[str]:
    return [line.plain for line in no_misses(session, [])]


async def finish(suite: Suite) -> None:
    """Run a suite once."""
    following = asyncio.ensure_future(suite.follow(lambda: None))
    async with asyncio.timeout(60):
        while suite.is_running or not suite.state:
            await asyncio.sleep(0.01)
    following.cancel()


def test_each_line_fits_into_80_columns_and_says_what_to_do_next(tmp_path: Path) -> None:
    logs = [
        LogStatus("server-12345.log", "live", bytes_read=123_456),
        LogStatus("mock-llm.log", "live", bytes_read=1),
        LogStatus("another-log-of-ci.log"),
    ]
    with closing(open_session(tmp_path)) as session:
        session.server.hold = HoldState(enabled=False, timeout_s=300)
        session.server.url = "http://127.0.0.1:12345/"
        lines = [line.plain for line in no_misses(session, logs)]
    lines.pop(3)  # ends with a path, which may be as long as it likes
    assert lines == [
        "",
        "  No misses yet. Listening to server-12345.log +1 (123,457 bytes read).",
        "  No misses yet: another-log-of-ci.log is not there; waiting for it.",
        "  y copies a command   T shows sample traffic   h holds the first miss",
        '  Point your clients at the server; "workbench manual clients" has others:',
        "    OPENAI_BASE_URL=http://127.0.0.1:12345/v1",
        "    ANTHROPIC_BASE_URL=http://127.0.0.1:12345",
        "    GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:12345",
    ]
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize("code", [0, 1])
def test_a_suite_that_sent_nothing_is_told_how_clients_find_the_server(
    tmp_path: Path, code: int
) -> None:
    with closing(open_session(tmp_path)) as session:
        suite = session.suite = Suite(["sh"], {})
        session.server.url = "http://127.0.0.1:12345"
        assert "  The suite has not started yet." in texts(session)
        log = tmp_path / "run.log"
        log.touch()
        suite = session.suite = Suite(["sh", "-c", f"exit {code}"], {}, log=log)
        asyncio.run(finish(suite))
        assert f"Suite: {suite.state}. No request came" in ended_sentence(session, suite)
        lines = texts(session)
        assert f"  Suite: {suite.state}. No request came." in lines
        assert "ANTHROPIC_BASE_URL" in " ".join(lines)
        assert max(map(len, lines)) <= WIDTH

        log.write_text('127.0.0.1 - - [20/Nov/2026 10:09:22] "GET /v1/models HTTP/1.1" 200 -\n')
        suite = session.suite = Suite(["sh", "-c", f"exit {code}"], {}, log=log)
        asyncio.run(finish(suite))
        assert "No request came" not in ended_sentence(session, suite)
        assert f"  Suite: {suite.state}. No request without a fixture came." in texts(session)


def test_a_suite_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    with closing(open_session(tmp_path)) as session:
        session.suite = Suite(["nosuch-command"], {})
        asyncio.run(finish(session.suite))
        lines = [line.plain for line in no_misses(session, [])]
        assert ended_sentence(session, session.suite).startswith("The suite could not be started.")
    assert lines == [
        "",
        "  The suite could not be started.",
        "  5 shows why   r there tries again",
    ]


def test_a_server_that_does_not_answer_is_waited_for(tmp_path: Path) -> None:
    with closing(open_session(tmp_path)) as session:
        session.server.url, session.server.is_up = "http://127.0.0.1:12345/", False
        lines = [line.plain for line in no_misses(session, [])]
    assert lines == [
        "",
        "  No log is being read.",
        "  No server at 127.0.0.1:12345; waiting for it.",
        "",
        "  O opens another log   S starts a server here",
    ]


def test_after_a_suite_that_ended_no_request_is_waited_for(tmp_path: Path) -> None:
    with closing(open_session(tmp_path)) as session:
        asked(session, chat())
        session.server.hold = HoldState(enabled=True, timeout_s=300)
        session.suite = Suite(["true"], {})
        for is_running, said in ((True, "Waiting for the next"), (False, "Run the suite again")):
            session.suite.is_running = is_running
            assert any(said in line.plain for line in no_misses(session, []))
