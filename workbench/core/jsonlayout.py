"""JSON laid out anew without changing a token: numbers, escapes and keys stay as typed."""

from __future__ import annotations

from workbench.core.jsonspan import Node, Scan


def layout(document: Scan, indent: int | None) -> str:
    """The text of ``document`` laid out anew.

    Args:
        indent: spaces a level, or None for one line.
    """
    parts: list[str] = []
    _write(document.text, document.root, indent, 0, parts)
    return "".join(parts)


def _write(text: str, node: Node, indent: int | None, level: int, parts: list[str]) -> None:
    if node.kind == "scalar":
        parts.append(text[node.start : node.end])
        return
    opening, closing = "{}" if node.kind == "object" else "[]"
    children = [(text[m.start : m.end] + ": ", m.node) for m in node.members]
    children += [("", item) for item in node.items]
    if not children:
        parts.append(opening + closing)
        return
    line_end = "" if indent is None else "\n" + " " * indent * level
    inner = "" if indent is None else line_end + " " * indent
    separator = ", " if indent is None else "," + inner
    parts.append(opening + inner)
    for number, (key, value) in enumerate(children):
        parts.append((separator if number else "") + key)
        _write(text, value, indent, level + 1, parts)
    parts.append(line_end + closing)
