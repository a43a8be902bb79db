"""The pages of the manual, Markdown files of the package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).parents[1] / "manual"
# The page that lists all pages.
INDEX: Final = "index"
_GLOSSARY: Final = "glossary"
_LINK: Final = re.compile(r"\[(?P<text>[^]]*)\]\((?P<page>[a-z-]*)[^)]*\)")
_LISTED: Final = re.compile(r"^- \[.*?\]\((.+?)\.md\)", re.MULTILINE)


def names() -> list[str]:
    """The names of all pages: the index, and those that it lists, in its order."""
    return [INDEX, *_LISTED.findall(read(INDEX))]


def read(name: str) -> str:
    """The text of a page that ``names`` has."""
    return (FOLDER / f"{name}.md").read_text("utf-8")


class GlossaryEntry(NamedTuple):
    """A word of the glossary: what it means, and the page to read."""

    meaning: str
    page: str


def glossary_entry(word: str) -> GlossaryEntry | None:
    """What the glossary has about a word; None for a word that it does not have."""
    for line in read(_GLOSSARY).splitlines():
        name, _, meaning = line.strip("| ").partition(" | ")
        if name.casefold() == word.casefold() and line.startswith("|"):
            linked = _LINK.search(meaning)
            page = linked["page"] if linked and linked["page"] else _GLOSSARY
            text = re.sub(f": {_LINK.pattern}$", "", meaning)  # a link is all that follows
            return GlossaryEntry(_LINK.sub(r"\g<text>", text).replace("*", ""), page)
    return None


def address(site: str, name: str, heading: str = "") -> str:
    """The address of a page, or of one of its headings, on a site with the manual.

    Args:
        site: the base URL of the site: the setting ``docs_url``.
        heading: of one word, such as the name of a rule.
    """
    return f"{site.rstrip('/')}/{name}/" + (f"#{heading}" if heading else "")


def section(name: str, heading: str) -> str:
    """The text of a page under a heading of the second level. Raises LookupError without one."""
    _, title, text = read(name).partition(f"\n## {heading}\n")
    if not title:
        raise LookupError(f"the page {name} has no section {heading}")
    return text.partition("\n## ")[0].strip()
