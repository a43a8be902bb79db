"""Markdown that generated pages are made of."""

from __future__ import annotations

from collections.abc import Iterable


def table(head: str, rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; ``head`` names the columns, separated by commas."""
    names = head.split(", ")
    lines = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    for row in rows:
        cells = [" ".join(cell.replace("|", "\\|").replace("``", "`").split()) for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def page(title: str, about: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", about, *parts]) + "\n"
