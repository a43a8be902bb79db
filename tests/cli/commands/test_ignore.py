"""``workbench ignore``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Project
from tests.session.support import chat, missed
from workbench.core.digest import digest

DIGEST = digest(chat("a"))
OTHER = digest(chat("b"))
FILE = "fixtures/workbench-ignore.txt"


@pytest.fixture
def log(project: Project) -> Path:
    project.write_log(missed(chat("a"), chat("b")))
    return project.log


def test_a_miss_is_ignored_for_a_reason(project: Project, log: Path) -> None:
    ran = project.run("ignore", log, DIGEST, "--reason", "the fallback is fine")
    assert ran == (0, f"{FILE}\n", "")
    lines = (project.folder / FILE).read_text().splitlines()
    assert lines[0].startswith("# ")
    assert lines[1:] == [f"{DIGEST} the fallback is fine"]
    rows = project.run("misses", log, "--format", "json").rows
    assert [(row["digest"], row["ignored"]) for row in rows] == [(DIGEST, True), (OTHER, False)]


def test_the_first_digits_are_enough(project: Project, log: Path) -> None:
    assert project.run("ignore", log, OTHER[:10], "--reason", "x").code == 0
    assert f"{OTHER} x\n" in (project.folder / FILE).read_text()


def test_lines_of_others_stay(project: Project, log: Path) -> None:
    project.fixtures.mkdir()
    (project.folder / FILE).write_text(f"# ours\n{OTHER} theirs\n\n# end\n")
    project.run("ignore", log, DIGEST, "--reason", "two\nlines")
    assert (project.folder / FILE).read_text() == (
        f"# ours\n{OTHER} theirs\n\n# end\n{DIGEST} two lines\n"
    )


def test_again_is_another_reason(project: Project, log: Path) -> None:
    for reason in ("first", "second", "second"):
        ran = project.run("ignore", log, DIGEST, "--reason", reason)
        assert ran == (0, f"{FILE}\n", "")
    assert (project.folder / FILE).read_text().split("\n")[1:] == [f"{DIGEST} second", ""]


def test_the_folder_can_be_named(project: Project, log: Path) -> None:
    ran = project.run("ignore", log, DIGEST, "--reason", "x", "--fixtures", "canned")
    assert ran.out == "canned/workbench-ignore.txt\n"
    assert project.files() == []


def test_the_log_from_standard_input(project: Project, log: Path) -> None:
    ran = project.run("ignore", "-", DIGEST, "--reason", "x", data=log.read_bytes())
    assert ran.code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["suite.log", "", "--reason", "x"], "the value is empty"),
        (
            ["suite.log", "x", "--reason", "x"],
            "x is neither a digest (hex digits, at least 4) nor a log",
        ),
        (["suite.log", "0" * 64, "--reason", "x"], "no miss in the log begins with 000"),
        (["none.log", DIGEST, "--reason", "x"], "none.log: no such file or directory"),
        (["suite.log", DIGEST, "--reason", " \n"], "--reason is empty"),
    ],
)
@pytest.mark.usefixtures("log")
def test_wrong_use_is_told_in_one_line(project: Project, arguments: list[str], words: str) -> None:
    ran = project.run("ignore", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err.splitlines()[0]
    assert not project.fixtures.exists()


def test_of_an_answered_request_it_says_so(project: Project, log: Path) -> None:
    asked = chat("answered")
    project.fixtures.mkdir()
    (project.fixtures / f"{digest(asked)}.json").write_text('{"response": {"content": "Yes."}}')
    prefix = digest(asked)[:6]
    ran = project.run("ignore", log, prefix, "--reason", "x")
    assert ran.code == 2
    answered = f"but a fixture does: {digest(asked)[:12]}"
    assert f"no miss in the log begins with {prefix}, {answered}\n" in ran.err


def test_a_reason_is_asked_for(project: Project, log: Path) -> None:
    ran = project.run("ignore", log, DIGEST)
    assert ran.code == 2
    assert "--reason" in ran.err


def test_a_folder_that_cannot_be_written(project: Project, log: Path) -> None:
    project.fixtures.write_text("a file in its place")
    ran = project.run("ignore", log, DIGEST, "--reason", "x")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert (
        ran.err
        == "workbench ignore: error: fixtures is not a folder; name one with --fixtures DIR\n"
    )
