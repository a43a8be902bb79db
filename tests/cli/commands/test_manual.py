"""``workbench manual``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Project
from tests.forked import FORKED
from tests.terminal import Terminal
from workbench.io import manual


def test_without_a_topic_it_lists_the_pages(project: Project) -> None:
    ran = project.run("manual")
    assert ran == (0, manual.read("index"), "")
    assert "- [tutorial](tutorial.md): the first fixture" in ran.out


def test_a_page_is_printed_as_it_is(project: Project) -> None:
    assert project.run("manual", "digest") == (0, manual.read("digest"), "")


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("record", "unknown page 'record'; did you mean recording?"),
        ("retry", "unknown page 'retry'; did you mean retries?"),
        ("../pyproject", "unknown page '../pyproject'"),
        ("\x1b[31m", "unknown page '\\x1b[31m'"),
    ],
)
def test_a_page_that_does_not_exist(project: Project, topic: str, said: str) -> None:
    assert project.run("manual", topic) == (
        2,
        "",
        f"workbench manual: error: {said}\nlist the pages: workbench manual\n",
    )


@pytest.mark.parametrize(
    ("word", "page"), [("ignore", "suites"), ("Hold", "hold"), ("miss", "glossary")]
)
def test_a_word_of_the_glossary_is_explained(project: Project, word: str, page: str) -> None:
    ran = project.run("manual", word)
    error = f"workbench manual: error: no page {word!r}: "
    assert ran.code == 2
    assert ran.err.startswith(error)
    assert ran.err.endswith(f"\nread more: workbench manual {page}\n")
    assert "](" not in ran.err


def test_in_a_terminal_it_is_rendered(tmp_path: Path) -> None:
    command = [*FORKED, "manual", "stale"]
    with Terminal(
        command, folder=tmp_path, rows=80, environment={"MANPAGER": None, "PAGER": "cat"}
    ) as terminal:
        assert terminal.wait_for_end() == 0
        terminal.wait_for("with an error on purpose")
    assert b"**" not in terminal.raw
    assert b"```" not in terminal.raw


def test_a_page_longer_than_the_terminal_begins_at_its_top(tmp_path: Path) -> None:
    usual: dict[str, str | None] = {"PAGER": None, "MANPAGER": None, "LESS": None}
    command = [*FORKED, "manual", "tutorial"]
    with Terminal(command, folder=tmp_path, environment=usual) as terminal:
        terminal.wait_for("Go from an empty folder")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
    assert b"6. CI" not in terminal.raw
    assert b"ESC[" not in terminal.raw
