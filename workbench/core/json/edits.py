"""Edit JSON text and keep every other byte.

``rewrite`` sets a new value by replacing only the spans of the values that differ: key order,
spacing, escapes and unknown keys stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.core.json.places import ValuePlace, children, place_of, value_at
from workbench.core.json.spans import Edit, Path
from workbench.core.json.values import dumps, same

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


def rewrite(text: str, new: object) -> str:
    """``text``, which is JSON, changed as little as needed to have the value ``new``.

    A new key is inserted after the key that precedes it in ``new``; other keys keep their place.
    """
    return apply(text, edits(text, new))


def edits(text: str, new: object, path: Path = ()) -> list[Edit]:
    """The edits that replace the value at ``path``, which exists, by ``new``."""
    return list(_edits(text, place_of(text, path).start, new))


def removal(text: str, path: Path) -> list[Edit]:
    """The edits that remove the key at the end of ``path`` from its object."""
    *parent, key = path
    members = children(text, place_of(text, tuple(parent)).start)
    kept = [i for i, member in enumerate(members) if member.step != key]
    if not kept:
        return edits(text, {}, tuple(parent))
    return list(_removals(members, kept))


def _edits(text: str, start: int, new: object) -> Iterator[Edit]:
    old, end = value_at(text, start)
    if same(old, new):
        return
    if isinstance(old, dict) and old and isinstance(new, dict) and not new.keys().isdisjoint(old):
        yield from _object_edits(text, start, new)
    elif isinstance(old, list) and old and isinstance(new, list) and new:
        yield from _array_edits(text, start, old, new)
    else:
        yield Edit(start, end, _styled(text, start, new))


def _object_edits(text: str, start: int, new: dict[str, Any]) -> Iterator[Edit]:
    inner = children(text, start)
    kept = [i for i, child in enumerate(inner) if child.step in new]
    yield from _removals(inner, kept)
    separator = _separator(text, start, inner)
    colon = text[inner[0].key_end : inner[0].start]
    members = {child.step: child for child in inner}
    anchor: ValuePlace | None = None
    pending: list[str] = []
    for key, value in new.items():
        member = members.get(key)
        if member is None:
            added = f"{dumps(key)}{colon}{_styled(text, inner[0].key, value)}"
            if anchor is None:
                pending.append(added + separator)
            else:
                yield Edit(anchor.end, anchor.end, separator + added)
        else:
            yield from _edits(text, member.start, value)
            anchor = member
    if pending:
        first = inner[kept[0]].key
        yield Edit(first, first, "".join(pending))


def _array_edits(text: str, start: int, old: list[Any], new: list[Any]) -> Iterator[Edit]:
    inner = children(text, start)
    # How many items at the beginning are changed one by one; how many at the end are the same.
    paired, tail = min(len(old), len(new)), 0
    while paired and same(old[-1 - tail], new[-1 - tail]):
        tail += 1
        paired -= 1
    for index in range(paired):
        yield from _edits(text, inner[index].start, new[index])
    if len(old) > len(new):
        gone = range(paired, len(old) - tail)
        yield from _removals(inner, [i for i in range(len(old)) if i not in gone])
    elif len(new) > len(old):
        separator = _separator(text, start, inner)
        added = [_styled(text, inner[0].start, v) for v in new[paired : len(new) - tail]]
        if paired:
            end = inner[paired - 1].end
            yield Edit(end, end, "".join(separator + a for a in added))
        else:
            first = inner[0].start
            yield Edit(first, first, "".join(a + separator for a in added))


def _removals(inner: Sequence[ValuePlace], kept: list[int]) -> Iterator[Edit]:
    """Remove the children that are not kept, each with its comma and space."""
    for index in sorted(set(range(len(inner))).difference(kept)):
        if index < kept[0]:
            yield Edit(inner[index].key, inner[index + 1].key, "")
        else:
            yield Edit(inner[index - 1].end, inner[index].end, "")


def _separator(text: str, start: int, inner: Sequence[ValuePlace]) -> str:
    """The text between two children of the container at ``start``."""
    if len(inner) > 1:
        return text[inner[0].end : inner[1].key]
    lead = text[start + 1 : inner[0].key]
    return "," + (lead if "\n" in lead else " ")


def _styled(text: str, at: int, value: object) -> str:
    """``value`` written for the place ``at``: indented like the line there."""
    if not isinstance(value, dict | list) or not value:
        return dumps(value)
    indented = _INDENTED_LINE.search(text)
    if indented is None:
        return dumps(value)
    line = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    indent = line[0] if line else ""
    newline = "\r\n" if "\r\n" in text else "\n"
    return dumps(value, indent=indented[1]).replace("\n", newline + indent)
