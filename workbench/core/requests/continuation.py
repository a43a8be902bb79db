"""A later turn of a conversation whose beginning was changed."""

from __future__ import annotations

from typing import Any, Final

from workbench.core.requests.view import Payload

_ABSENT: Final = object()


def with_beginning(later: Payload, before: Payload, after: Payload) -> dict[str, Any] | None:
    """A request that continues ``before``, as it is where the conversation begins with ``after``;
    None for one that does not continue it. What the two have in common, such as a setting, may be
    another in the later one.
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
