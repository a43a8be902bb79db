"""How ``mkdocs build`` reads the manual: its index arranges the pages, and the words after a code
fence are for the tests, except the name of a file, which becomes the title of its block.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

_GROUP = re.compile(r"^## (.+)\n((?:(?!## ).*\n)+)", re.MULTILINE)
_PAGE = re.compile(r"^- \[.+?\]\((.+?\.md)\)", re.MULTILINE)
_FENCE = re.compile(r"^( *```\w+) (.+)$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take the navigation from the index."""
    index = (Path(config.docs_dir) / "index.md").read_text("utf-8")
    groups = [{title: _PAGE.findall(pages)} for title, pages in _GROUP.findall(index)]
    config.nav = [{"Manual": "index.md"}, *groups]
    return config


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page with fences that Python-Markdown understands."""
    return _FENCE.sub(_fence, markdown)


def _fence(match: re.Match[str]) -> str:
    fence, about = match.groups()
    is_file = "." in about and " " not in about
    return f'{fence} title="{about}"' if is_file else fence
