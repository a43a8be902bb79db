"""Every code block of the README and the manual does what the page says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.manual.blocks import Block, Reader, blocks, imported, needs, written_file
from workbench.io import manual

README = Path(__file__).parents[2] / "README.md"
PAGES = {
    "README": README.read_text("utf-8"),
    **{name: manual.read(name) for name in manual.names()},
}


@pytest.mark.timeout(300)  # the tutorial starts a dozen programs
# Each of its sections begins anew: ``test_maintenance``.
@pytest.mark.parametrize(
    "name", [name for name in PAGES if name != "maintenance" and list(blocks(PAGES[name]))]
)
def test_the_blocks_of_a_page_do_what_it_says(tmp_path: Path, name: str) -> None:
    page = PAGES[name]
    with Reader(tmp_path, page, needs(page)) as reader:
        _do(reader, name, list(blocks(page)))


def _do(reader: Reader, name: str, some: Sequence[Block]) -> None:
    """Do what blocks of the page ``name`` say."""
    for block, following in pairwise([*some, None]):
        assert block is not None
        try:
            reader.do(block, following)
        except Exception as error:
            error.add_note(f"in line {block.line} of {name}")
            raise


@pytest.mark.parametrize("size", [(80, 24), (110, 34)])
@pytest.mark.parametrize("name", ["README", "tutorial"])
def test_the_keys_of_a_page_do_in_any_terminal_what_it_says(
    tmp_path: Path, name: str, size: tuple[int, int]
) -> None:
    """A reader begins with these keys, in a terminal in which nobody ever used workbench."""
    page = PAGES[name]
    begins = list(blocks(page))
    last = next(place for place, block in enumerate(begins) if block.info == "text keys")
    with Reader(tmp_path, page, size=size) as reader:
        _do(reader, name, begins[: last + 1])
    (fixture,) = (tmp_path / "fixtures").iterdir()
    assert "Rain, 12 °C." in fixture.read_text("utf-8")
    assert not (tmp_path / "workbench-ignore.txt").exists()


@each_case("name", PAGES)
def test_the_text_above_a_block_says_into_which_file_it_belongs(name: str) -> None:
    """Readers do not see the words after the fence. A fixture may have a short digest."""
    unsaid, lines, seen_to = [], PAGES[name].splitlines(), 0
    for block in blocks(PAGES[name]):
        above = " ".join(lines[seen_to : block.line - 1])
        seen_to = block.line + block.text.count("\n") + 1
        file = written_file(block)
        short = re.sub(r".*/(\w{8})\w{56}((?:\.\w{8})?\.json)", r"\1…\2", file)
        if short not in above:
            unsaid.append((block.line, short))
    assert unsaid == []


@each_case("name", PAGES)
def test_a_page_names_the_packages_that_its_blocks_import(name: str) -> None:
    page = PAGES[name]
    seen = "".join(re.split(r"^```python.*?^```$", page, flags=re.MULTILINE | re.DOTALL))
    written = {Path(written_file(block)).stem for block in blocks(page)}
    packages = [package.replace("_", "-") for package in imported(page) - {"workbench"} - written]
    assert [package for package in packages if not re.search(rf"\b{package}\b", seen)] == []


@pytest.mark.parametrize(
    "block",
    [
        Block(1, "", "workbench"),
        Block(1, "sh", "workbench validate nowhere"),
        Block(1, "sh fails", "true"),
        Block(1, "sh setup", "workbench validate"),
        Block(1, "sh somehow", "true"),
        Block(1, "perl app.pl", "print 1"),
        Block(1, "json", "{}"),
        Block(1, "json a.json", "{"),
        Block(1, "text", "something"),
    ],
    ids=lambda block: f"{block.info}:{block.text}",
)
def test_a_block_that_cannot_be_done_is_an_error(tmp_path: Path, block: Block) -> None:
    with Reader(tmp_path, "") as reader, pytest.raises((AssertionError, KeyError, ValueError)):
        reader.do(block)


@pytest.mark.parametrize(
    ("command", "said"), [("python broken.py", "ValueError: why"), ("pytest -q", "1 failed")]
)
def test_a_program_that_fails_is_an_error(tmp_path: Path, command: str, said: str) -> None:
    (tmp_path / "broken.py").write_text("raise ValueError('why')")
    (tmp_path / "test_broken.py").write_text("def test_it(): assert 0")
    with Reader(tmp_path, "") as reader:
        with pytest.raises(AssertionError, match=said):
            reader.do(Block(1, "sh", command))
        reader.do(Block(1, "sh fails", command))


def test_a_reader_has_what_the_page_says_and_nothing_else(tmp_path: Path) -> None:
    with Reader(tmp_path, "", needs("# Page\n\nYou need: a suite.\n\n```sh\nls `myapp`\n```\n")):
        assert {file.name for file in tmp_path.iterdir()} == {
            "e2e",
            "pyproject.toml",
            "test_suite.py",
        }


def test_a_reader_has_no_variables_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    with Reader(tmp_path, "") as reader:
        reader.do(Block(1, "sh", 'test -z "${OPENAI_BASE_URL-}"'))


def test_a_section_says_what_it_needs_as_well(tmp_path: Path) -> None:
    page = "# Page\n\n```sh\nls\n```\n\nYou need: a suite.\n\n```sh\nls `myapp`\n```\n"
    with Reader(tmp_path, "", needs(page)):
        assert {file.name for file in tmp_path.iterdir()} == {
            "e2e",
            "pyproject.toml",
            "test_suite.py",
        }


def test_the_first_screen_of_the_readme_gets_a_test_green() -> None:
    page = PAGES["README"]
    screen = "\n".join(page.splitlines()[:52])
    first = list(blocks(screen))
    assert first == list(blocks(page))[: len(first)]
    assert [block.info for block in first][-2:] == ["sh terminal", "text keys"]
