"""The objects of a reply, from which a reader takes what it reads: what is left is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workbench.core.json.values import mapping


class Given:
    """One JSON object of a reply, and those inside it.

    Args:
        value: the object; anything else counts as an empty one.
        prefix: stands before the names of its keys.
    """

    def __init__(self, value: object, prefix: str = "") -> None:
        self._rest = dict(mapping(value))
        self._prefix = prefix
        self._inner: list[Given] = []

    def has(self, key: str) -> bool:
        """Whether a key has a value that was not taken."""
        return bool(self._rest.get(key))

    def is_given(self, key: str) -> bool:
        """Whether a key is there, even without a value."""
        return key in self._rest

    def has_any(self) -> bool:
        """Whether anything is left, apart from what has no value."""
        return any(self._rest.values())

    def peek(self, key: str) -> Any:
        """The value of a key, which is not taken by that."""
        return self._rest.get(key)

    def take(self, key: str) -> Any:
        """The value of a key; None if there is none."""
        return self._rest.pop(key, None)

    def text(self, key: str) -> str:
        """The text of a key. Anything else is left, and counts as ""."""
        value = self._rest.get(key)
        return self._rest.pop(key) if isinstance(value, str) else ""

    def count(self, key: str) -> int | None:
        """The whole number of a key. Anything else is left, and counts as None."""
        value = self._rest.get(key)
        return self._rest.pop(key) if type(value) is int else None

    def mapping(self, key: str, prefix: str = "") -> Given:
        """The object of a key. Anything else is left, and counts as an empty one."""
        return self.inner(self._rest.pop(key), prefix) if self.is_object(key) else Given({})

    def is_object(self, key: str) -> bool:
        return isinstance(self._rest.get(key), dict)

    def objects(self, key: str, prefix: str = "") -> list[Given]:
        """The objects in the list of a key. What is not an object is left."""
        value = self._rest.get(key)
        if not isinstance(value, list):
            return []
        self._rest[key] = [item for item in value if not isinstance(item, dict)]
        return [self.inner(item, prefix) for item in value if isinstance(item, dict)]

    def inner(self, value: object, prefix: str = "") -> Given:
        """An object that was taken from this one: what is left of it is named, too."""
        found = Given(value, prefix)
        self._inner.append(found)
        return found

    def skip(self, keys: Iterable[str]) -> None:
        """Take keys that say nothing a client makes use of."""
        for key in keys:
            self._rest.pop(key, None)

    def take_all(self) -> dict[str, Any]:
        """All that is left of it."""
        rest, self._rest, self._inner = self._rest, {}, []
        return rest

    def leave(self, name: str) -> None:
        """Name something that was read and has no place in a fixture."""
        self._inner.append(Given({name: True}))

    def left(self) -> Iterator[str]:
        """The names of what was not taken, except that without a value: null, empty or zero."""
        yield from (f"{self._prefix}{key}" for key, value in self._rest.items() if value)
        for inner in self._inner:
            yield from inner.left()
