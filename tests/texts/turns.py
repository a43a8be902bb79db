"""Turns of phrase that do not belong in any text of the project, with what to write instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]

# A pattern, and what to write in its place.
TURNS: Final = {
    r"\bspoken\b": "supported",
    r"\bagain: |\bagain takes it back": "Turn … on or off; undo",
    r", or no longer\b": "Turn … on or off",
    r"\bas (it|they) says?\b|\bas it stands\b": "detected; as given; unchanged",
    r"\b(is|are) wanted\b": "If you want …",
    r"(?<![Tt]here )\b(is|are|was|were) no (?!(longer|more|fewer|less|later)\b)": "is not a …",
    r"\b([Nn]o|[Ss]ome)body\b": "no one, you, the user, the client",
    r"\balone\b": "only; by itself; on its own",
    r", too[.,;:)]": "also, as well, or nothing",
    r"\banew\b": "again",
    r"\bas ever\b": "as before",
    r"\bby now\b": "now; since",
    r"\ball the same\b": "anyway; even so",
    r"\bmeanwhile\b|\bMeanwhile\b": "in the meantime",
    r"\b[Ss]o many\b|\bthat many\b": "N …; up to N",
    r"\bAgainst (a|an|the|each|one)\b": "Rejected: …, because …",
    r"\b(an?|one) \w+ a (line|row)\b": "one … per line",
    r"\b(holds?|stands?) (the|its|a|no|in|beside|at|what)\b": "contains; has; appears; is",
    r"\bholds $": "contains; has",
}


class Place(NamedTuple):
    """A turn in a file of the project, in its line from 1, with what to write instead."""

    file: str
    line: int
    text: str
    better: str


def turns_in(text: str) -> Iterator[tuple[int, str, str]]:
    """The line (from 1), the words and the better wording of each turn in a text."""
    flat = text.replace("\n", " ")
    for pattern, better in TURNS.items():
        for match in re.finditer(pattern, flat):
            words = flat[max(0, match.start() - 40) : match.end() + 40].strip()
            yield text.count("\n", 0, match.start()) + 1, words, better


def pages() -> Iterator[Path]:
    """README, changelog, the pages of the manual, and what people read who report or contribute."""
    yield from (ROOT / name for name in ("README.md", "CHANGELOG.md"))
    yield from sorted((ROOT / "workbench" / "manual").glob("*.md"))
    yield from sorted((ROOT / ".github").rglob("*.md"))
    yield from sorted((ROOT / ".github").rglob("*.yml"))


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Each string of a Python module, docstrings included, with its line from 1."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def turns() -> list[Place]:
    """Every turn in the pages, and in the strings and docstrings of the package."""
    places = []
    for page in pages():
        for line, words, better in turns_in(page.read_text("utf-8")):
            places.append(Place(str(page.relative_to(ROOT)), line, words, better))
    for module in sorted((ROOT / "workbench").rglob("*.py")):
        for start, string in strings(module.read_text("utf-8")):
            for line, words, better in turns_in(string):
                file = str(module.relative_to(ROOT))
                places.append(Place(file, start + line - 1, words, better))
    return places
