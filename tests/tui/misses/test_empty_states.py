"""What an empty list of misses says, in the room that there is."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from textual.geometry import Size

from tests.session.support import answer_with, asked, chat, open_session, store
from workbench.core.control_api import HoldState
from workbench.core.log.events import AskedBy
from workbench.core.suite_tests import ReportedTest, SuiteReport
from workbench.session.answers.written import git_add_command
from workbench.session.log_status import LogStatus
from workbench.session.rekey.carry_out import carry_out
from workbench.session.rekey.pairing import rekey_of
from workbench.session.session import Session
from workbench.session.suite.suite import Suite
from workbench.tui.misses.empty_states import no_misses
from workbench.tui.services.suite_feed import ended_sentence

SIZE = Size(80, 24)
# Columns of the list in such a terminal.
WIDTH = 78


def texts(session: Session) -> list[str]:
    return [line.plain for line in no_misses(session, [], SIZE)]


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
        lines = [line.plain for line in no_misses(session, logs, SIZE)]
    lines.pop(3)  # ends with a path, which may be as long as it likes
    assert lines == [
        "",
        "  No misses yet. Listening to server-12345.log +1 (123,457 bytes read).",
        "  No misses yet: another-log-of-ci.log does not exist yet; waiting for it.",
        "  y copies a command   T shows sample traffic   h turns hold on",
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
        assert f"Suite: {suite.state}. It sent no requests" in ended_sentence(session, suite)
        lines = texts(session)
        assert lines[1:3] == [
            f"  Suite: {suite.state}. It sent no requests.",
            "  5 shows its output   r runs it again",
        ]
        assert "OPENAI_BASE_URL" in " ".join(lines)
        assert max(map(len, lines)) <= WIDTH

        log.write_text('127.0.0.1 - - [20/Nov/2026 10:09:22] "GET /v1/models HTTP/1.1" 200 -\n')
        suite = session.suite = Suite(["sh", "-c", f"exit {code}"], {}, log=log)
        asyncio.run(finish(suite))
        assert "It sent no requests" not in ended_sentence(session, suite)
        head = "✗ Suite: exit 1" if code else "✓ Suite passed in 0s"
        assert any(line.strip() == head for line in texts(session))


def test_a_suite_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    with closing(open_session(tmp_path)) as session:
        session.suite = Suite(["nosuch-command"], {})
        asyncio.run(finish(session.suite))
        lines = [line.plain for line in no_misses(session, [], SIZE)]
        assert ended_sentence(session, session.suite).startswith("The suite could not be started.")
    assert lines == [
        "",
        "  The suite could not be started.",
        "  5 shows why   r tries again",
    ]


def test_a_server_that_does_not_answer_is_waited_for(tmp_path: Path) -> None:
    with closing(open_session(tmp_path)) as session:
        session.server.url, session.server.is_up = "http://127.0.0.1:12345/", False
        lines = [line.plain for line in no_misses(session, [], SIZE)]
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
        asyncio.run(finish(session.suite))
        for is_running, said in ((True, "Waiting for the next"), (False, "r run again")):
            session.suite.is_running = is_running
            assert any(said in line.plain for line in no_misses(session, [], SIZE))


def save_answer(session: Session, digest: str, content: str) -> None:
    """Save an answer, and have its file listed."""
    answer_with(session, digest, content)
    session.save(digest)
    file = f"{digest}.json"
    session.fixtures.announce([file])
    waited = dict(session.fixtures.waiting)
    session.take_examined({file: session.fixtures.examine(file)}, waited)


def test_after_the_last_answer_one_page_says_what_happened(tmp_path: Path) -> None:
    with closing(open_session(tmp_path)) as session:
        (digest,) = asked(session, chat("Two seats, please."))
        session.take_log([AskedBy(digest, "tests/test_a.py::test_travel")])
        suite = session.suite = Suite(["sh", "-c", "exit 0"], {})
        asyncio.run(finish(suite))
        save_answer(session, digest, "Your seats are booked.")
        suite.seconds = 129.4
        passed = ReportedTest("tests/test_a.py::test_travel", "passed")
        suite.tests.take(SuiteReport(1, 1, None, [passed]))
        lines = texts(session)
        assert lines == [
            "",
            "  ✓ Suite passed in 2m 9s      1 test   1 answer written",
            f"  {digest[:12]}  Your seats are booked.              test_travel",
            "",
            "  r run again   2 fixtures   q quit",
        ]
        assert git_add_command(session) == "", "there is no repository"
        (tmp_path / ".git").mkdir()
        assert texts(session)[-1] == "  r run again   2 fixtures   y copy the git add line   q quit"
        path = session.store.path(digest)
        assert git_add_command(session) == f"git add -- {path}"

        suite.code = 1
        failed = ReportedTest("tests/test_a.py::test_b[$(id)]", "failed")
        suite.tests.take(SuiteReport(1, 2, None, [failed]))
        lines = texts(session)
        assert lines[1].startswith("  ✗ Suite: 1 failed, 1 passed      2 tests   1 answer written")
        assert lines[2] == "  ✗ tests/test_a.py::test_b[$(id)]"
        assert "⏎ what failed" in lines[-1]
        assert max(map(len, lines)) <= WIDTH + 2

        suite.is_running = True
        lines = texts(session)
        assert lines[1].startswith("  ● Suite running ")
        assert lines[2] == "  Waiting for the next request…"

        session.suite = None
        assert texts(session)[1] == "  ✓ The only miss is answered.      1 answer written"
        save_answer(session, digest, "")
        assert any(line.startswith(f"  {digest[:12]}  (empty)  ") for line in texts(session))


def test_what_was_moved_is_no_answer_that_was_written_and_leaves_git_under_its_old_name(
    tmp_path: Path,
) -> None:
    def git(*words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=tmp_path, capture_output=True, check=True)
        return ran.stdout.decode()

    git("init", "-q")
    with closing(open_session(tmp_path)) as session:
        olds = [store(session, chat(f"weather on 2026-11-{day}?"), "rain") for day in (20, 21)]
        git("add", str(session.store.path(olds[0])))  # the other one was never known to git
        news = asked(session, *(chat(f"weather on 2026-12-{day}?") for day in (1, 2)))
        for old, new in zip(olds, news, strict=True):
            rekeys = [rekey_of(session, old, new)._replace(is_copy=False)]
            assert [problem for _, problem in carry_out(session, rekeys)] == [""]
        assert "2 fixtures moved" in texts(session)[1]
        assert "written" not in texts(session)[1]
        subprocess.run(["sh", "-c", git_add_command(session)], cwd=tmp_path, check=True)
        in_git = {Path(name).stem for name in git("ls-files").splitlines()}
        assert in_git == set(news)


def test_names_of_files_are_quoted_for_a_shell(tmp_path: Path) -> None:
    folder = tmp_path / "it's $(here)"
    (folder / ".git").mkdir(parents=True)
    with closing(open_session(folder)) as session:
        (digest,) = asked(session, chat())
        answer_with(session, digest, "hi")
        session.save(digest)
        words = shlex.split(git_add_command(session))
        assert words == ["git", "add", "--", str(session.store.path(digest))]
