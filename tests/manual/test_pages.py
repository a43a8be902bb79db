"""The pages of the manual: what they name exists, the index lists them, and those that follow from
the code are current.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import workbench.testing
from tests.cases import each_case
from tests.manual.generated import PAGES
from tests.manual.python_api import documented
from workbench.io import manual

ROOT = Path(__file__).parents[2]
PICTURES = manual.FOLDER / "pictures"
README = ROOT / "README.md"
FILES = [README, *(manual.FOLDER / f"{name}.md" for name in manual.names())]
# They are about the code; other pages name files of the reader's.
ABOUT_THE_CODE = ["decisions", "development", "figures"]
# What a fresh checkout does not have: commands that the pages name write it.
WRITTEN_LATER = {"site/"}

_PATH = re.compile(r"`([\w./]+/[\w./]*|[\w/]+\.py)`")
_PICTURE = re.compile(r"!\[([^]]*)\]\((?!http)(.+?)\)")
_LINK = re.compile(r"\]\((?!http)([^)#]+)\)")


def paths(text: str) -> set[str]:
    """What a page names as a file or folder of the repository or of the package."""
    return set(_PATH.findall(text))


@pytest.mark.parametrize("name", ABOUT_THE_CODE)
def test_a_page_names_files_that_exist(name: str) -> None:
    missing = {
        path
        for path in paths(manual.read(name)) - WRITTEN_LATER
        if not (ROOT / path).exists() and not (ROOT / "workbench" / path).exists()
    }
    assert not missing


@each_case("page", FILES)
def test_links_lead_somewhere(page: Path) -> None:
    links = _LINK.findall(page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@each_case("page", FILES)
def test_blocks_in_lists_are_indented_by_four(page: Path) -> None:
    """Python-Markdown, which makes the site, ends the list before a block with fewer."""
    text = page.read_text("utf-8")
    lines = text.splitlines()
    parts = MarkdownIt().enable("table").parse(text)
    inside = [part for part in parts if part.type in ("fence", "table_open") and part.level]
    starts = [part.map[0] for part in inside if part.map]
    assert [lines[start] for start in starts if not lines[start].startswith("    ")] == []


def test_every_picture_is_shown_somewhere_and_described() -> None:
    linked = [_PICTURE.findall(page.read_text("utf-8")) for page in FILES]
    shown = {Path(link).name for links in linked for _, link in links}
    assert shown == {path.name for path in PICTURES.iterdir()}
    assert all(description for links in linked for description, _ in links)


def test_paths_are_found() -> None:
    assert paths("in `core/log/reader.py` and `tests/`") == {"core/log/reader.py", "tests/"}


def test_the_index_lists_every_page_with_a_line() -> None:
    listed = re.findall(r"^- \[(.+)\]\((.+)\.md\): \S", manual.read(manual.INDEX), re.M)
    files = {path.stem for path in manual.FOLDER.glob("*.md")}
    assert sorted(name for name, _ in listed) == sorted(files - {manual.INDEX})
    assert manual.names() == [manual.INDEX, *(name for name, _ in listed)]
    assert all(name == target for name, target in listed)


@pytest.mark.parametrize("name", PAGES)
def test_what_follows_from_the_code_is_current(name: str) -> None:
    """Word by word: Python 3.14 breaks the usage lines of commands elsewhere."""
    written = PAGES[name]().split()
    assert manual.read(name).split() == written, "python -m tests.manual writes it again"


def test_every_extra_is_in_the_manual() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    rows = [line for line in manual.read("install").splitlines() if line.startswith("| `")]
    named = re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in rows))
    assert sorted(named) == sorted(project["optional-dependencies"])


def test_the_readme_sets_up_as_ci_does() -> None:
    command = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()[-1]
    assert command.startswith("python3 -m venv")
    assert f"\n{command}\n" in README.read_text("utf-8")


def test_the_moving_picture_shows_its_beginning_where_nothing_moves() -> None:
    """A viewer without animations leaves hidden what is hidden at first."""
    picture = (PICTURES / "loop.svg").read_text("utf-8")
    first, *others = re.findall(r"<g( class=\"\w+\" style=[^>]*|)>(?=\s*<!-- Generated)", picture)
    assert first == ""
    assert others
    assert all('class="later"' in other for other in others)
    assert ".later { visibility: hidden;" in picture


def test_the_page_on_the_python_api_has_every_public_name() -> None:
    assert documented() == set(workbench.testing.__all__)
