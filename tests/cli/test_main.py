"""The command line: its commands, exit codes, and ends that are nobody's fault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import workbench
from tests.cli.running import Project, command
from tests.server.running import wait_until
from tests.session.support import chat, missed
from workbench.cli.main import main


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"workbench {workbench.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["--nonsense"], ["misse"], ["hash", "--nonsense"], ["--upstream", "x"]]
)
def test_wrong_use_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "see workbench" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("misse", 'unknown command misse; did you mean "misses"?'),
        ("\x9bhelp", "unknown command $'\\xc2\\x9bhelp'; did you mean \"help\"?"),
        ("suite.log", "suite.log is not a command; to open a log: workbench --log suite.log"),
    ],
)
def test_what_is_no_command_is_told_with_what_may_be_meant(
    word: str, said: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.folder / "suite.log").touch()
    with pytest.raises(SystemExit) as ended:
        main([word])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"workbench: error: {said}\nsee workbench --help\n"


def test_a_command_after_options_is_told_that_it_comes_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--fixtures", "e2e", "validate"])
    assert "error: the command comes first: workbench validate …\n" in capsys.readouterr().err


# Arguments and standard input of commands with much text and with one line to print.
PRINTING = {
    "much text": (["hash", "--jsonl"], b"{}\n" * 1000),
    "a line": (["hash"], b"{}"),
}


def test_as_a_module(project: Project) -> None:
    ran = command("hash", input=b"{}", cwd=project.folder)
    assert (ran.returncode, len(ran.stdout), ran.stderr) == (0, 65, b"")


@pytest.mark.parametrize(("arguments", "data"), PRINTING.values(), ids=PRINTING)
def test_a_reader_that_left_is_told_nothing(
    arguments: list[str], data: bytes, tmp_path: Path
) -> None:
    (tmp_path / "fixtures").mkdir()
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "workbench", *arguments],
            input=data,
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
        )
    finally:
        os.close(writing)
    # A verdict that was not said is not "fine".
    assert ran.returncode == 141
    assert ran.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a system without a full device")
@pytest.mark.parametrize(("arguments", "data"), PRINTING.values(), ids=PRINTING)
def test_a_disk_that_is_full_is_said_in_one_line(
    arguments: list[str], data: bytes, tmp_path: Path
) -> None:
    (tmp_path / "fixtures").mkdir()
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "workbench", *arguments],
            input=data,
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
        )
    said = f"workbench {arguments[0]}: error: no space left on device\n".encode()
    assert ran.returncode == 2
    assert ran.stderr == said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a system without a full device")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["misses", "suite.log"], 0),
        (["misses", "suite.log", "--fail"], 1),
        (["misses", "nothing.log"], 2),
    ],
)
def test_talk_that_cannot_be_heard_changes_no_exit_code(
    arguments: list[str], code: int, project: Project
) -> None:
    project.write_log(missed(chat()))
    heard = project.run(*arguments)
    with open("/dev/full", "wb") as full:
        options = {"stdout": subprocess.PIPE, "stderr": full, "capture_output": False}
        ran = command(*arguments, cwd=project.folder, **options)
    assert (ran.returncode, heard.code) == (code, code)
    assert ran.stdout.decode() == heard.out


@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        (1, ["manual"], 0),
        (1, ["--version"], 0),
        (1, ["preview"], 0),
        (2, ["misses", "-"], 0),
        (0, ["hash"], 2),
        (0, ["misses", "-"], 0),
    ],
)
def test_a_standard_stream_that_is_closed_is_no_error(
    closed: int, arguments: list[str], code: int, tmp_path: Path
) -> None:
    start = f"import os, sys; os.close({closed}); os.execv(sys.executable, sys.argv[1:])"
    words = [sys.executable, "-m", "workbench", *arguments]
    ran = subprocess.run([sys.executable, "-c", start, *words], capture_output=True, cwd=tmp_path)
    assert ran.returncode == code
    assert b"Traceback" not in ran.stderr


def test_names_in_what_goes_wrong_act_on_no_terminal(project: Project) -> None:
    ran = project.run("misses", "a\nb\x1b[31m")
    assert ran.code == 2
    assert ran.err == "workbench misses: error: a\\nb\\x1b[31m: no such file or directory\n"


def hear() -> None:
    """Take the signals that whoever runs these tests may ignore, as ``nohup`` and ``&`` do."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def test_ctrl_c_ends_it_without_a_word_of_python(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", "hash", "--jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        preexec_fn=hear,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        # Once it has printed something it is running, and waits for more. It prints when it has
        # 128 KiB, or less before Python 3.14.
        process.stdin.write(b'{"model": "m"}\n' * 2500)
        process.stdin.flush()
        assert process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in said


def test_so_it_does_where_it_has_not_begun_yet(tmp_path: Path) -> None:
    """Ctrl+C while the first of what it needs is loaded."""
    (tmp_path / "argparse.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nsignal.pause()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = command("--help", cwd=tmp_path, env=environment, preexec_fn=hear)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_it_leaves_nothing_behind(
    number: signal.Signals, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path),
        "MOCK_LLM_FORCE_TOTAL_DELAY_MS": "600000",  # so that it waits for its first answer
    }
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", "--demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
        preexec_fn=hear,
    ) as process:
        wait_until("the server logs", lambda: any(tmp_path.glob("*/.workbench/server.log")))
        process.send_signal(number)
        _, said = process.communicate()
    assert (process.returncode, said) == (-number, b"")
    assert os.listdir(tmp_path) == []
