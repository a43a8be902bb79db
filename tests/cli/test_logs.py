"""The fixtures folder of a command that reads logs: as told, as the log says, or the default."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import re
import threading
from pathlib import Path

import pytest

from tests.cli.running import Project
from tests.forked import FORKED
from tests.session.support import chat, hash_line, missed
from tests.terminal import Terminal
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.log.lines import listening_line, miss_lines

HELLO = chat("hello there")
ANSWER = '{"response": {"content": "x"}}'


def fixture_in(folder: Path) -> Path:
    """A folder with the answer to HELLO."""
    folder.mkdir(parents=True)
    (folder / f"{digest(HELLO)}.json").write_text(ANSWER)
    return folder


def state(project: Project, *arguments: str) -> str:
    [row] = project.run("misses", project.log, "--format", "json", *arguments).rows
    return str(row["state"])


@pytest.fixture
def named(project: Project) -> Project:
    """A log below the project that names a folder beside the project's own."""
    project.log = project.folder / "out" / "logs" / "e2e.log"
    project.log.parent.mkdir(parents=True)
    project.write_log(listening_line("http://127.0.0.1:1", "./canned"), missed(HELLO))
    return project


@pytest.mark.parametrize("place", ["out/logs/canned", "out/canned", "canned"])
def test_a_folder_the_log_names_is_looked_for_from_the_log_upwards(
    named: Project, place: str
) -> None:
    assert state(named) == "missing"
    fixture_in(named.folder / place)
    assert state(named) == "answered"


def test_an_absolute_folder_is_taken_as_it_is(project: Project, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "canned"
    project.write_log(listening_line("http://127.0.0.1:1", str(elsewhere)), missed(HELLO))
    assert state(project) == "missing"
    fixture_in(elsewhere)
    assert state(project) == "answered"


def test_a_folder_that_only_the_log_names_is_never_made(named: Project) -> None:
    assert named.run("promote", named.log, digest(HELLO), "--content", "x").code == 0
    assert not list(named.folder.rglob("canned"))
    assert named.files() == [f"{digest(HELLO)}.json"]


def test_what_is_told_counts_before_what_the_log_says(
    named: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixture_in(named.folder / "canned")
    assert state(named, "--fixtures", "other") == "missing"
    monkeypatch.setenv("WORKBENCH_FIXTURES", "other")
    assert state(named) == "missing"
    monkeypatch.delenv("WORKBENCH_FIXTURES")
    named.settings("fixtures = 'other'")
    assert state(named) == "missing"


def test_a_file_of_that_name_is_no_folder(named: Project) -> None:
    (named.folder / "canned").write_text("")
    assert named.run("promote", named.log, digest(HELLO), "--content", "x").code == 0
    assert named.files() == [f"{digest(HELLO)}.json"]


@pytest.mark.parametrize("name", ["", "x" * 5000, "\x00", "[/bold]"])
def test_a_folder_of_any_name_is_survived(project: Project, name: str) -> None:
    project.write_log(listening_line("http://127.0.0.1:1", name), missed(HELLO))
    assert state(project) == "missing"


def test_the_terminal_application_uses_the_same_folder_and_says_so(named: Project) -> None:
    fixture_in(named.folder / "canned")
    named.write_log(
        listening_line("http://127.0.0.1:1", "./canned"), missed(HELLO, chat("another"))
    )
    command = [*FORKED, "--log", str(named.log)]
    with Terminal(command, columns=120, rows=36, folder=named.folder) as terminal:
        terminal.wait_for("Misses [1/1]")
        for text in ("fixtures canned", "another", "2 Fixtures 1"):
            terminal.wait_for(text)


# What is written where the server of the log does not read

ELSEWHERE = listening_line("http://127.0.0.1:1", "e2e/fx")
SAID = "warning: the server of the log reads e2e/fx, not fixtures"
NAMES = "; choose one with --fixtures DIR"


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize(
    "arguments",
    [
        ["promote", "LOG", digest(HELLO), "--content", "x"],
        ["ignore", "LOG", digest(HELLO), "--reason", "x"],
        ["rekey", "--all", "LOG"],
        ["adopt", "LOG"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_folder_that_the_server_does_not_read_is_told(
    project: Project, arguments: list[str], is_there: bool
) -> None:
    project.write_log(ELSEWHERE, missed(HELLO))
    if is_there:
        project.fixtures.mkdir()
    words = [str(project.log) if word == "LOG" else word for word in arguments]
    first = project.run(*words).err.splitlines()[0]
    if is_there or arguments[0] in ("promote", "ignore"):
        assert first == f"workbench {arguments[0]}: {SAID}{NAMES}"
    else:
        assert first == (
            f"workbench {arguments[0]}: warning: the server of the log reads e2e/fx; the folder "
            "fixtures does not exist yet; name another folder with --fixtures DIR"
        )


def test_a_list_of_misses_tells_it_too(project: Project) -> None:
    project.fixtures.mkdir()
    project.write_log(ELSEWHERE, missed(HELLO))
    assert project.run("misses", project.log).err.startswith(f"workbench misses: {SAID}{NAMES}")
    assert "another" not in project.run("misses", project.log, "--fixtures", "fixtures").err
    # The folder that it reads is there: it is used.
    (project.folder / "e2e" / "fx").mkdir(parents=True)
    assert "another" not in project.run("misses", project.log).err


# Logs of other digests


def test_digests_that_are_not_those_of_the_requests_are_told_once(project: Project) -> None:
    requests = [chat("one"), chat("two")]
    foreign = [miss_lines("0" * 63 + str(n), each) for n, each in enumerate(requests)]
    project.fixtures.mkdir()
    project.write_log(*foreign)
    told = "warning: the digests in the log are not those of its requests (2 requests: for example "
    for command in ("misses", "explain", "adopt"):
        assert project.run(command, project.log).err.count(told) == 1
    project.write_log(missed(*requests))
    assert told not in project.run("misses", project.log).err


# Logs that are none, or none yet


def test_a_log_that_gzip_packed_is_read_as_it_was(named: Project) -> None:
    fixture_in(named.folder / "canned")
    assert state(named) == "answered"
    packed = gzip.compress(named.log.read_bytes())
    named.log.write_bytes(packed)
    assert state(named) == "answered"
    assert named.run("misses", "-", data=packed).out.split()[2] == digest(HELLO)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (bz2.compress(b"x"), "it is compressed with bzip2; decompress it first"),
        (lzma.compress(b"x"), "it is compressed with xz; decompress it first"),
        (hash_line(HELLO).encode("utf-16"), "it is UTF-16; a log is UTF-8"),
        (b"\x7fELF\x02\x01\x01\0\0\0\x89H\xf9", "it is not a text file"),
        (gzip.compress(os.urandom(9000))[:5000], "Compressed file ended before the end"),
        (gzip.compress(b"")[:9] + b"\xff" * 100, "Error -3 while decompressing data"),
    ],
    ids=["bzip2", "xz", "UTF-16", "a program", "gzip that is cut", "gzip that is broken"],
)
def test_what_is_no_log_is_wrong_use_and_told(project: Project, content: bytes, why: str) -> None:
    project.log.write_bytes(content)
    ran = project.run("misses", project.log, "--fail")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"workbench misses: error: {project.log}: {why}")
    assert project.run("misses", "-", data=content).err.startswith(
        f"workbench misses: error: standard input: {why}"
    )


def test_the_hole_that_truncating_leaves_is_no_reason_to_refuse_a_log(project: Project) -> None:
    project.write_log(b"\0" * 5000, hash_line(HELLO), missed(HELLO))
    assert state(project) == "missing"


def test_a_text_that_no_stub_server_wrote_is_told(project: Project) -> None:
    project.write_log("what an application says\n")
    ran = project.run("misses", project.log)
    assert (ran.code, ran.out) == (0, "")
    assert f"warning: {project.log} does not look like a server log (" in ran.err


def test_a_named_pipe_is_read_to_its_end(project: Project) -> None:
    project.log.unlink(missing_ok=True)
    os.mkfifo(project.log)
    written = threading.Thread(target=project.log.write_text, args=(missed(HELLO),))
    written.start()
    assert state(project) == "missing"
    written.join()


def test_a_setting_there_is_not_is_told(project: Project) -> None:
    project.settings("fixture = 'other'\n'\\u001b[31m' = 1")
    project.write_log(hash_line(HELLO))
    ran = project.run("misses", project.log)
    assert ran.code == 0
    assert "[tool.workbench] 'fixture' is not a setting; did you mean fixtures?\n" in ran.err
    assert "\x1b" not in ran.err
    assert ran.out.startswith("unlogged    1  ")


def test_a_pattern_means_all_its_files_and_each_once(project: Project) -> None:
    for name in ("a.log", "b.log"):
        (project.folder / name).write_text(missed(chat(name)))
    rows = project.run("misses", "*.log", "a.log", "--format", "json").rows
    assert [(row["last_user_text"], row["count"]) for row in rows] == [("a.log", 1), ("b.log", 1)]
    told = project.run("misses", "*.txt")
    assert (told.code, told.err) == (
        2,
        "workbench misses: error: *.txt: no such file or directory\n",
    )
    project.fixtures.mkdir()
    assert project.run("validate", "--log", "*.log").code == 0
    assert project.run("validate", "--log", "*.txt").code == 2


# Which log is read

RUN_LOG = ".workbench/run.log"
FIRST_DIGITS = digest(HELLO)[:4]


@pytest.fixture
def ran(project: Project) -> Project:
    """A project with the log of a run, in which one request had no fixture."""
    project.log = project.folder / RUN_LOG
    project.log.parent.mkdir()
    project.write_log(missed(HELLO))
    return project


@pytest.mark.parametrize(
    "words",
    [
        ["misses"],
        ["misses", "--fail", "--format", "json"],
        ["explain"],
        ["explain", FIRST_DIGITS],
        ["promote", FIRST_DIGITS, "--content", "hi"],
        ["ignore", FIRST_DIGITS, "--reason", "x"],
        ["rekey", "--all"],
        ["rekey", "1f40", FIRST_DIGITS],
        ["adopt"],
    ],
    ids=" ".join,
)
def test_the_newest_log_is_read_and_named(
    ran: Project, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (ran.folder / "mock-llm.log").write_text("no log of a server\n")
    below = ran.folder / "tests"
    below.mkdir()
    for folder, name in ((ran.folder, RUN_LOG), (below, ran.log)):
        monkeypatch.chdir(folder)
        said = ran.run(*words, "--fixtures", "fixtures").err
        assert said.startswith(f"workbench {words[0]}: note: reading {name}\n"), said


def test_the_log_of_a_server_is_read_where_nothing_ran(project: Project) -> None:
    (project.folder / "mock-llm.log").write_text(missed(HELLO))
    ran = project.run("promote", FIRST_DIGITS, "--content", "hi")
    assert ran.out == f"fixtures/{digest(HELLO)}.json\n"
    assert "workbench promote: note: reading mock-llm.log\n" in ran.err


def test_a_log_that_is_named_goes_before(ran: Project) -> None:
    other, third = chat("another"), chat("third")
    for name, asked in (("a.log", other), ("b.log", third)):
        (ran.folder / name).write_text(missed(asked))
    for words in (["a.log", "b.log"], ["--log", "a.log", "--log", "b.log"], ["a.log", "--log=b.*"]):
        listed = ran.run("misses", *words, "--format", "json")
        assert [row["last_user_text"] for row in listed.rows] == ["another", "third"]
        assert "reading" not in listed.err


@pytest.mark.parametrize(
    "words",
    [
        ["suite.log", "DIGEST", "--content", "hi"],
        ["DIGEST", "suite.log", "--content", "hi"],
        ["--content", "hi", "--log", "suite.log", "DIGEST"],
        ["suite.log", "--content", "hi", "DIGEST"],
        ["DIGEST", "--content", "hi", "--log", "suite.log"],
    ],
    ids=" ".join,
)
def test_digests_and_logs_are_told_apart_in_any_order(project: Project, words: list[str]) -> None:
    project.write_log(missed(HELLO, chat("another")))
    done = project.run("promote", *(FIRST_DIGITS if w == "DIGEST" else w for w in words))
    assert (done.code, done.out) == (0, f"fixtures/{digest(HELLO)}.json\n")


@pytest.mark.parametrize(
    "words",
    [["promote", "--content", "x"], ["ignore", "--reason", "x"], ["explain"], ["rekey", "--all"]],
)
def test_without_any_log_it_is_said_what_to_do(project: Project, words: list[str]) -> None:
    arguments = [] if words[0] in ("explain", "rekey") else [FIRST_DIGITS]
    done = project.run(*words, *arguments)
    assert (done.code, done.out) == (2, "")
    assert "there is no log: neither .workbench/run.log nor mock-llm.log exists here\n" in done.err
    assert "workbench run -- COMMAND\n" in done.err


def test_several_digests_are_too_many_for_one_answer(ran: Project) -> None:
    done = ran.run("promote", FIRST_DIGITS, "1f40", "--content", "x")
    assert (done.code, done.out) == (2, "")
    assert "give exactly one digest" in done.err


def test_a_digest_of_several_misses_lists_them(project: Project) -> None:
    # Logs of servers with digests of their own.
    digests = [f"abcd{number}{'0' * 59}" for number in range(3)]
    project.write_log(*(miss_lines(each, HELLO) for each in digests))
    done = project.run("explain", project.log, "abcd")
    listed = ", ".join(each[:12] for each in digests)
    assert f"3 misses begin with abcd; give more digits: {listed}\n" in done.err
    project.fixtures.mkdir()
    for each in digests:
        (project.fixtures / f"{each}.json").write_text(ANSWER)
    assert (
        f"3 fixtures in fixtures begin with abcd; give more digits: {listed}\n"
        in project.run("preview", "abcd").err
    )


def test_a_digest_with_a_variant_may_be_cut_twice(project: Project) -> None:
    other = chat("hello there", tools=[{"type": "function", "function": {"name": "f"}}])
    project.write_log(missed(HELLO), missed(other))
    name = f"{digest(HELLO)}.{view(other).variant}"
    project.run("promote", project.log, FIRST_DIGITS, "--variant", "1", "--content", "first")
    cut = f"{FIRST_DIGITS}.{view(other).variant[:3]}"
    done = project.run("promote", project.log, cut, "--content", "second")
    assert done.out == f"fixtures/{name}.json\n"
    assert '"second"' in project.run("preview", cut).out
    assert project.run("preview", f"{FIRST_DIGITS}.0ddba11").code == 2


def test_commands_that_are_printed_name_the_newest_log_by_no_name(ran: Project) -> None:
    """Not even by the other name of the same file."""
    other = ran.folder / ".workbench" / "run-7899.log"
    other.hardlink_to(ran.log)
    for words in ([], ["--log", str(other)]):
        assert f"  workbench promote {digest(HELLO)[:12]} --content TEXT" in ran.run(*words).err


def test_a_folder_that_would_be_made_below_the_project_is_told(
    ran: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server of the run reads the one in the folder where it was started."""
    ran.write_log(listening_line("http://127.0.0.1:1", "fixtures"), missed(HELLO))
    below = ran.folder / "tests"
    below.mkdir()
    promote = ["promote", FIRST_DIGITS, "--content", "hi", "--dry-run"]
    assert " is created in " not in ran.run(*promote).err
    monkeypatch.chdir(below)
    warning = f"warning: the folder fixtures is created in {below}; a server that"
    assert warning in ran.run(*promote).err
    assert " is created in " not in ran.run(*promote, "--fixtures", "fixtures").err
    ran.fixtures.mkdir()  # the log says where it is
    assert " is created in " not in ran.run(*promote).err


def test_commands_that_are_printed_name_a_folder_that_the_settings_do_not(project: Project) -> None:
    project.settings('fixtures = "usual"')
    changed = {**HELLO, "model": "gpt-5"}
    project.write_log(listening_line("http://127.0.0.1:1", "other"), missed(changed))
    folder = fixture_in(project.folder / "other")
    stored = f'{{"response": {{"content": "x"}}, "request": {json.dumps(HELLO)}}}'
    (folder / f"{digest(HELLO)}.json").write_text(stored)
    log, other = ["--log", str(project.log)], ["--fixtures", "other"]
    for words in (
        ["explain", *log],
        ["misses", *log, "--format", "github"],
        ["explain", "0000", *log],
        ["show", FIRST_DIGITS],
        ["show", "0000"],
    ):
        ran = project.run(*words, *other)
        [command] = re.findall(
            r"workbench (?:rekey|promote|explain|misses|list) .*", ran.out + ran.err
        )
        assert "--fixtures other" in command, words
    (folder / f"{digest(chat('broken'))}.json").write_text("{")
    for words in (["doctor", *other], ["misses", *log, *other, "--format", "github"]):
        project.write_log(missed(chat("broken")))
        ran = project.run(*words)
        assert "workbench validate --fixtures other" in ran.out


@pytest.mark.parametrize(
    "words",
    [
        ["explain"],
        ["promote", "--content", "x"],
        ["ignore", "--reason", "x"],
        ["rekey", "0000"],
        ["rekey", "--like"],
        ["show"],
        ["preview"],
        ["drift", "--upstream", "http://127.0.0.1:9/v1"],
    ],
    ids=" ".join,
)
def test_too_many_digits_are_counted(ran: Project, words: list[str]) -> None:
    ran.fixtures.mkdir()
    for name in (f"{digest(HELLO)}0", f"{digest(HELLO)}0.json", f"fixtures/{digest(HELLO)}0.json"):
        done = ran.run(*words, name)
        assert done.code == 2
        assert f"{name} has 65 hex digits; a digest has 64" in done.err


@pytest.mark.parametrize("words", [["show"], ["drift", "--upstream", "http://127.0.0.1:9/v1"]])
def test_a_fixture_in_another_folder_is_not_taken_for_one_of_this(
    project: Project, words: list[str]
) -> None:
    fixture_in(project.fixtures)
    other = fixture_in(project.folder / "other") / f"{digest(HELLO)}.json"
    done = project.run(*words, other)
    assert (done.code, done.out) == (2, "")
    assert f"{other} is not in the fixtures folder fixtures; name its folder with" in done.err
    project.write_log(missed(HELLO))
    promote = ["promote", "--log", str(project.log), "--force", "--content", "y", "--dry-run"]
    assert f"{other} is not in the fixtures folder" in project.run(*promote, other).err
    assert project.run(*promote, project.fixtures / other.name).code == 0
    assert project.run("show", other, "--fixtures", "other").code == 0
    assert project.run("show", f"{project.folder}/other/../fixtures/{other.name}").code == 0
