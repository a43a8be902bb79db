"""A later turn of a conversation whose beginning was changed."""

from __future__ import annotations

from typing import Any, Final

from workbench.core.requests.view import Payload

_ABSENT: Final = object()


def with_beginning(later: Payload, before: Payload, after: Payload) -> dict[str, Any] | None:
    """A request that continues ``before``, rewritten for a conversation that begins with ``after``;
    None if it does not continue it. Common parts, such as a setting, may differ in the later
    request.
    """
    made = dict(later)
    is_later = False
    for key in before.keys() | after.keys():
        old, new = before.get(key, _ABSENT), after.get(key, _ABSENT)
        value = later.get(key, _ABSENT)
        if value == old:
            made[key] = new
        elif isinstance(old, list) and isinstance(value, list) and value[: len(old)] == old:
            if not isinstance(new, list):
                return None
            made[key] = [*new, *value[len(old) :]]
            is_later = True
        elif old != new:
            return None
    return {key: made[key] for key in made if made[key] is not _ABSENT} if is_later else None
