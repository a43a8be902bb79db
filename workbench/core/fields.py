"""The keys of a JSON object that has a format: taken one by one, checked, and named where wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core.digest import json_type


class Fields:
    """The keys of ``value``.

    Args:
        error: raised for a key that is missing or of another type; the text names it.
        place: what stands before its name.
    """

    def __init__(self, value: dict[str, Any], error: type[ValueError], place: str = "") -> None:
        self._rest = dict(value)
        self._error = error
        self._place = place

    def text(self, key: str, default: str | None = None) -> str:
        return str(self._take(key, str, default))

    def text_or_none(self, key: str) -> str | None:
        """A text that may be null, or not there."""
        return None if self._rest.get(key) is None else self.text(key)

    def number(self, key: str, default: float | None = None) -> float:
        try:
            return float(self._take(key, int | float, default))
        except OverflowError:
            raise self.refuse(key, "is too large") from None

    def count(self, key: str, default: int | None = None) -> int:
        return int(self._take(key, int, default))

    def flag(self, key: str, default: bool | None = None) -> bool:
        return bool(self._take(key, bool, default))

    def any(self, key: str) -> Any:
        return self._rest.pop(key, None)

    def has(self, key: str) -> bool:
        return key in self._rest

    def mapping(self, key: str) -> dict[str, Any]:
        """An object that has no format."""
        found: dict[str, Any] = self._take(key, dict, None)
        return found

    def nested(self, key: str) -> Fields:
        return Fields(self.mapping(key), self._error, f"{self._place}{key}.")

    def each(self, key: str) -> Iterator[Fields]:
        """The objects of a list."""
        for number, value in enumerate(self._take(key, list, None)):
            if not isinstance(value, dict):
                raise self.refuse(f"{key}[{number}]", f"is {json_type(value)}, not an object")
            yield Fields(value, self._error, f"{self._place}{key}[{number}].")

    def counts(self, key: str) -> list[int]:
        """The whole numbers of a list."""
        found: list[Any] = self._take(key, list, None)
        for number, value in enumerate(found):
            if not isinstance(value, int) or isinstance(value, bool):
                raise self.refuse(f"{key}[{number}]", f"is {json_type(value)}, not a whole number")
        return found

    def rest(self) -> dict[str, Any]:
        """What was not taken."""
        return self._rest

    def refuse(self, key: str, why: str) -> ValueError:
        """The error that says of a value what is wrong with it."""
        return self._error(f"{self._place}{key} {why}")

    def _take(self, key: str, kind: Any, default: object) -> Any:
        value = self._rest.pop(key, default)
        is_bool = isinstance(value, bool) and kind is not bool
        if is_bool or not isinstance(value, kind):
            raise self.refuse(key, "is missing" if value is None else f"is {json_type(value)}")
        return value
