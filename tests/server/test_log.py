"""Where the log goes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.io.fixture.asker import Asker
from workbench.server.log import LogSink, access_time
from workbench.server.running_tests import RunningTest
from workbench.server.wire.incoming import access_line
from workbench.server.wire.request_state import STATE_KEY, RequestState

PROGRAM = """
import sys
from pathlib import Path
from workbench.server.log import LogSink
log = LogSink(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
log.write("one\\ntwo\\n")
log.write("half: \\ud800 \\udcff\\n")
"""
WRITTEN = b"one\ntwo\nhalf: \\ud800 \\udcff\n"


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.run(command, check=True, **options)  # type: ignore[call-overload, no-any-return]


def test_records_go_to_standard_error() -> None:
    assert run(stderr=subprocess.PIPE).stderr == WRITTEN


def test_records_go_to_the_file_too_behind_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"before\n")
    assert run(str(path), stderr=subprocess.PIPE).stderr == WRITTEN
    assert path.read_bytes() == b"before\n" + WRITTEN


def test_standard_error_that_is_the_file_gets_them_once(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    with path.open("ab") as file:
        run(str(path), stderr=file)
    assert path.read_bytes() == WRITTEN


def test_workflow_commands_are_escaped_on_standard_error_alone(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    program = f"{PROGRAM}log.write('::error::x\\n')\n"
    ran = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        check=True,
        stderr=subprocess.PIPE,
        env={**os.environ, "GITHUB_ACTIONS": "true"},
    )
    assert ran.stderr == WRITTEN + rb"\u003a:error::x" + b"\n"
    assert path.read_bytes() == WRITTEN + b"::error::x\n"


def test_a_process_without_standard_error_writes_its_file(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    command = ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", PROGRAM, str(path)]
    subprocess.run(command, check=True)
    assert path.read_bytes() == WRITTEN


def test_a_reader_that_left_is_no_failure() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.stdin.read(){PROGRAM}"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stderr.close()
    process.stdin.close()
    assert process.wait(60) == 0


def test_a_file_that_is_truncated_goes_on_at_its_start(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    log = LogSink(path)
    log.write("long enough to leave a hole\n")
    path.write_bytes(b"")
    log.write("after\n")
    assert path.read_bytes() == b"after\n"


def test_a_long_record_is_whole_though_signals_interrupt_it(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    record = "x" * 3_000_000 + "\n"
    program = (
        "import signal; signal.signal(signal.SIGALRM, lambda *_: None);"
        f"signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0005){PROGRAM}"
        f"log.write({len(record) - 1} * 'x' + '\\n')\n"
        "signal.setitimer(signal.ITIMER_REAL, 0)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(path)], check=True, stderr=subprocess.PIPE
    )
    assert ran.stderr == path.read_bytes() == WRITTEN + record.encode()


@pytest.mark.parametrize("lost", ["", "log.write('lost\\n')\n"])
def test_a_record_behind_one_that_a_full_disk_cut_has_lines_of_its_own(
    tmp_path: Path, lost: str
) -> None:
    path = tmp_path / "server.log"
    program = (
        f"import resource; from resource import RLIMIT_FSIZE{PROGRAM}"
        "_, hard = resource.getrlimit(RLIMIT_FSIZE)\n"
        f"resource.setrlimit(RLIMIT_FSIZE, ({len(WRITTEN) + 5}, hard))\n"
        "log.write('cut here: this is lost\\n')\n"
        f"{lost}resource.setrlimit(RLIMIT_FSIZE, (hard, hard))\n"
        "log.write('three\\n')\nlog.write('four\\n')\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, capture_output=True)
    assert path.read_bytes() == WRITTEN + b"cut h\nthree\nfour\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_file_that_takes_no_lines_is_named_once_on_standard_error() -> None:
    lines = run("/dev/full", stderr=subprocess.PIPE).stderr
    note = b"[mock-llm] /dev/full lacks lines from here on: no space left on device\n"
    assert lines.count(note) == 1
    assert lines.replace(note, b"") == WRITTEN


def test_a_new_file_is_for_its_owner_alone_and_another_keeps_its_mode(tmp_path: Path) -> None:
    new, old = tmp_path / "new.log", tmp_path / "old.log"
    old.touch()
    old.chmod(0o644)
    for path in (new, old):
        LogSink(path)
    assert [path.stat().st_mode & 0o777 for path in (new, old)] == [0o600, 0o644]


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        LogSink(tmp_path)


def test_an_access_line_is_the_reference_servers() -> None:
    scope = {
        "client": ("127.0.0.1", 50_000),
        "method": "POST",
        "raw_path": b"/v1/embeddings",
        "query_string": b"",
        "http_version": "1.1",
        "state": {STATE_KEY: RequestState({}, RunningTest("", Asker()))},
    }
    line = access_line(scope, "20/Nov/2026 10:09:22", 200)
    assert line == '127.0.0.1 - - [20/Nov/2026 10:09:22] "POST /v1/embeddings HTTP/1.1" 200 -\n'


def test_access_lines_have_the_local_time_of_their_second() -> None:
    for second in (1_795_770_000, 1_795_770_000, 1_795_770_001):
        written = time.strptime(access_time(second), "%d/%b/%Y %H:%M:%S")
        assert written[:6] == time.localtime(second)[:6]
