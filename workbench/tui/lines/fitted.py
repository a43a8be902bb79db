"""JSON laid out for a width; of long values only as much as a person reads, at the cost of that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

STRING_LIMIT: Final = 20_000
DEPTH_LIMIT: Final = 40
INDENT: Final = 2


@dataclass(frozen=True, slots=True)
class Named:
    """Stands for a value that is named, not shown: ``<clock>``."""

    name: str


def cut(text: str, limit: int = STRING_LIMIT) -> str:
    """``text``, at most ``limit`` characters of it and how many are left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… {len(text) - limit:,} more characters"


def fitted(value: object, width: int) -> Iterator[str]:
    """``value`` as JSON with every object and list on one line that fits in ``width``. Long strings
    are cut, and so is what lies too deep.
    """
    return _lines(value, width, 0, "", "")


def _lines(value: object, width: int, level: int, lead: str, end: str) -> Iterator[str]:
    before = " " * (INDENT * level) + lead
    text = _flat(value, width - len(before) - len(end))
    if text is None and not (isinstance(value, dict | list) and value):
        text = _scalar(value)
    if text is None and level >= DEPTH_LIMIT:
        text = "…"
    if text is not None or not isinstance(value, dict | list):
        yield f"{before}{text}{end}"
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield before + opening
    items = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for number, (key, item) in enumerate(items, start=1):
        comma = "," if number < len(value) else ""
        yield from _lines(item, width, level + 1, _key(key), comma)
    yield " " * (INDENT * level) + closing + end


def _flat(value: object, room: int) -> str | None:
    """``value`` on one line, or None where that is longer than ``room``. Looks at no more of it
    than that.
    """
    if isinstance(value, str):
        text = _dumps(value) if len(value) + 2 <= room else None
    elif not isinstance(value, dict | list):
        text = _scalar(value)
    elif len(value) * 2 > room:
        return None
    else:
        text = _flat_items(value, room)
    return text if text is not None and len(text) <= room else None


def _flat_items(value: dict[str, object] | list[object], room: int) -> str | None:
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    items = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    parts = []
    room -= 2
    for key, item in items:
        lead = _key(key)
        text = _flat(item, room - len(lead))
        if text is None:
            return None
        parts.append(lead + text)
        room -= len(parts[-1]) + 2
    return f"{opening}{', '.join(parts)}{closing}"


def _key(key: str | None) -> str:
    return "" if key is None else f"{_dumps(cut(key))}: "


def _scalar(value: object) -> str:
    if isinstance(value, Named):
        return value.name
    if isinstance(value, str) and len(value) > STRING_LIMIT:
        more = f"… {len(value) - STRING_LIMIT:,} more characters"
        return f'{_dumps(value[:STRING_LIMIT])[:-1]}"{more}'
    return _dumps(value)


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
