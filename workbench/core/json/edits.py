"""Edits of a JSON text that keep every other byte.

``rewrite`` gives a text a new value by replacing only the spans of the values that differ: key
order, spacing, escapes and unknown keys stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.core.json.spans import Edit, Member, Node, Path, Scan, dumps, same

_INDENT = re.compile(r"[ \t]*")
_INDENTED_LINE = re.compile(r"\n([ \t]+)\S")


def apply(text: str, edits: Sequence[Edit]) -> str:
    """``text`` after ``edits``, which do not overlap; those at one place keep their order."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        parts += [text[at : edit.start], edit.new]
        at = edit.end
    return "".join([*parts, text[at:]])


def rewrite(document: Scan, new: object) -> str:
    """The text of ``document``, changed as little as needed to have the value ``new``.

    A new key is inserted after the key that precedes it in ``new``; other keys keep their place.
    """
    return apply(document.text, edits(document, new))


def edits(document: Scan, new: object, path: Path = ()) -> list[Edit]:
    """The edits that replace the value at ``path``, which exists, by ``new``."""
    node = document.root.at(path)
    return [] if node is None else list(_edits(document.text, node, new))


def removal(document: Scan, path: Path) -> list[Edit]:
    """The edits that remove the key at the end of ``path`` from its object."""
    *parent, key = path
    node = document.root.at(parent)
    members = node.members if node else []
    kept = [i for i, member in enumerate(members) if member.key != key]
    if not kept:
        return edits(document, {}, tuple(parent))
    return list(_removals([(m.start, m.node.end) for m in members], kept))


def _edits(text: str, node: Node, new: object) -> Iterator[Edit]:
    if same(node.value(), new):
        return
    if node.kind == "object" and node.members and isinstance(new, dict) and new:
        yield from _object_edits(text, node, new)
    elif node.kind == "array" and node.items and isinstance(new, list) and new:
        yield from _array_edits(text, node, new)
    else:
        yield Edit(node.start, node.end, _styled(text, node.start, new))


def _object_edits(text: str, node: Node, new: dict[str, Any]) -> Iterator[Edit]:
    spans = [(m.start, m.node.end) for m in node.members]
    kept = [i for i, m in enumerate(node.members) if m.key in new]
    if not kept:
        yield Edit(node.start, node.end, _styled(text, node.start, new))
        return
    yield from _removals(spans, kept)
    separator, colon = _separators(text, node, spans)
    members = {m.key: m for m in node.members}
    anchor: Member | None = None
    pending: list[str] = []
    for key, value in new.items():
        member = members.get(key)
        if member is None:
            added = f"{dumps(key)}{colon}{_styled(text, spans[0][0], value)}"
            if anchor is None:
                pending.append(added + separator)
            else:
                yield Edit(anchor.node.end, anchor.node.end, separator + added)
        else:
            yield from _edits(text, member.node, value)
            anchor = member
    if pending:
        first = spans[kept[0]][0]
        yield Edit(first, first, "".join(pending))


def _array_edits(text: str, node: Node, new: list[Any]) -> Iterator[Edit]:
    old = [item.value() for item in node.items]
    head = 0
    while head < min(len(old), len(new)) and same(old[head], new[head]):
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    changed = min(len(old), len(new)) - head - tail
    for index in range(head, head + changed):
        yield from _edits(text, node.items[index], new[index])
    spans = [(item.start, item.end) for item in node.items]
    if len(old) > len(new):
        gone = range(head + changed, len(old) - tail)
        yield from _removals(spans, [i for i in range(len(old)) if i not in gone])
    elif len(new) > len(old):
        separator, _ = _separators(text, node, spans)
        added = [_styled(text, spans[0][0], v) for v in new[head + changed : len(new) - tail]]
        at = head + changed
        if at:
            end = spans[at - 1][1]
            yield Edit(end, end, "".join(separator + a for a in added))
        else:
            start = spans[0][0]
            yield Edit(start, start, "".join(a + separator for a in added))


def _removals(spans: list[tuple[int, int]], kept: list[int]) -> Iterator[Edit]:
    """Remove the parts that are not kept, each with its comma and space."""
    for index in sorted(set(range(len(spans))).difference(kept)):
        if index < kept[0]:
            yield Edit(spans[index][0], spans[index + 1][0], "")
        else:
            yield Edit(spans[index - 1][1], spans[index][1], "")


def _separators(text: str, node: Node, spans: list[tuple[int, int]]) -> tuple[str, str]:
    """The text between two parts of a container, and between a key and its value."""
    if len(spans) > 1:
        between = text[spans[0][1] : spans[1][0]]
    else:
        lead = text[node.start + 1 : spans[0][0]]
        between = "," + (lead if "\n" in lead else " ")
    colon = ": "
    if node.members:
        first = node.members[0]
        colon = text[first.end : first.node.start]
    return between, colon


def _styled(text: str, at: int, value: object) -> str:
    """``value`` written for the place ``at``: indented like the line there."""
    if not isinstance(value, dict | list) or not value:
        return dumps(value)
    unit = _indent_unit(text)
    if unit is None:
        return dumps(value)
    line = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    indent = line[0] if line else ""
    newline = "\r\n" if "\r\n" in text else "\n"
    return dumps(value, indent=unit).replace("\n", newline + indent)


def _indent_unit(text: str) -> str | None:
    """The indentation of the first indented line; None if the text is one line."""
    match = _INDENTED_LINE.search(text)
    return match[1] if match else None
