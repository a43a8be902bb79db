"""The pages of the manual name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "workbench" / "manual").glob("*.md"))

_PATH = re.compile(r"`([\w./]+/[\w./]*|[\w/]+\.py)`")
_LINK = re.compile(r"\]\((?!http)([^)#]+)\)")


def paths(text: str) -> set[str]:
    """What a page names as a file or folder of the repository or of the package."""
    return set(_PATH.findall(text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_files_that_exist(page: Path) -> None:
    text = page.read_text()
    missing = {
        name
        for name in paths(text)
        if not (ROOT / name).exists() and not (ROOT / "workbench" / name).exists()
    }
    assert not missing
    assert all((page.parent / link).exists() for link in _LINK.findall(text))


def test_there_are_pages_and_paths_in_them() -> None:
    assert {"development", "decisions"} <= {page.stem for page in PAGES}
    assert paths("in `core/log/reader.py` and `tests/`") == {"core/log/reader.py", "tests/"}
