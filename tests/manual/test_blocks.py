"""Every code block of the README and the manual does what the page says."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.manual.blocks import Block, Reader, blocks, written_file
from workbench.io import manual

README = Path(__file__).parents[2] / "README.md"
PAGES = {
    "README": README.read_text("utf-8"),
    **{name: manual.read(name) for name in manual.names()},
}
# What the reader of a page is taken to have.
SAMPLES = {"ci": "suite", "suites": "suite", "pytest": "pytest", "stale": "rot"}


@pytest.mark.timeout(300)  # the tutorial starts a dozen programs
# Each of its sections begins anew: ``test_maintenance``.
@pytest.mark.parametrize(
    "name", [name for name in PAGES if name != "maintenance" and list(blocks(PAGES[name]))]
)
def test_the_blocks_of_a_page_do_what_it_says(tmp_path: Path, name: str) -> None:
    with Reader(tmp_path, PAGES[name], SAMPLES.get(name, "")) as reader:
        for block, following in pairwise([*blocks(PAGES[name]), None]):
            assert block is not None
            try:
                reader.do(block, following)
            except Exception as error:
                error.add_note(f"in line {block.line} of {name}")
                raise


@each_case("name", PAGES)
def test_a_page_says_into_which_file_a_block_belongs(name: str) -> None:
    """Its readers do not see the words after the fence. A fixture may have a short digest."""
    seen = re.sub(r"^```.*$", "", PAGES[name], flags=re.MULTILINE)
    files = [about for block in blocks(PAGES[name]) if (about := written_file(block))]
    names = [re.sub(r".*/(\w{8})\w{56}((?:\.\w{8})?\.json)", r"\1…\2", file) for file in files]
    assert [file for file in names if file not in seen] == []


@pytest.mark.parametrize(
    "block",
    [
        Block(1, "", "workbench"),
        Block(1, "sh", "workbench validate nowhere"),
        Block(1, "sh fails", "true"),
        Block(1, "sh setup", "workbench validate"),
        Block(1, "sh somehow", "true"),
        Block(1, "ruby app.rb", "puts 1"),
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
