"""The page about headers, directives and variables names all that the package has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import workbench
from workbench.core.replies.cutting import ArgumentFrames
from workbench.io import manual

PACKAGE = Path(workbench.__file__).parent
_HEADER = re.compile(r"\bx-(?:workbench|mock-llm)-\w[\w-]*", re.I)
_VARIABLE = re.compile(r"(?<=[\"`])(?:WORKBENCH|MOCK_LLM)_[A-Z_]+(?=[\"`])")


def names(text: str) -> set[str]:
    """The headers and variables that a text names; headers in lower case."""
    return {header.lower() for header in _HEADER.findall(text)} | {*_VARIABLE.findall(text)}


def test_every_header_and_variable_of_ours_is_on_the_page() -> None:
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.cjs")]
    used = set().union(*(names(file.read_text("utf-8")) for file in files))
    assert "WORKBENCH_URL" in used
    assert used - names(manual.read("headers")) == set()


def test_every_way_to_cut_arguments_is_on_the_page() -> None:
    page = manual.read("headers")
    assert [cut for cut in get_args(ArgumentFrames) if f"| `{cut}` |" not in page] == []
