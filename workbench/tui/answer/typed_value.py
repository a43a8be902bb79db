"""Typing in place of a hole: a value for which quotes are written where it is a string."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.events import Key
from textual.widgets.text_area import Selection

from workbench.core.json.syntax import quotes
from workbench.core.json.values import decoded

if TYPE_CHECKING:
    from workbench.tui.answer.editor import Editor


class _Typed(NamedTuple):
    """A value that is being typed in place of a hole for any value.

    Attributes:
        keys: the typed characters.
        types: allowed JSON types of the value, besides a string.
        place: the place of the value.
        cursor: where the next key continues it.
    """

    keys: str
    types: frozenset[str]
    place: Selection
    cursor: Selection

    @property
    def value(self) -> str:
        """The typed characters if they are JSON, else as a JSON string."""
        is_json = self.keys.strip() == self.keys and types_of(decoded(self.keys)) & self.types
        return self.keys if is_json else f'"{self.keys}"'


def types_of(value: object) -> set[str]:
    """The types that a JSON schema can name for a value; none for a string."""
    if value is None or isinstance(value, bool):
        return {"null" if value is None else "boolean"}
    if isinstance(value, int | float):
        return {"number", "integer"} if isinstance(value, int) else {"number"}
    return (
        {"object"} if isinstance(value, dict) else {"array"} if isinstance(value, list) else set()
    )


class ValueTyping:
    """Takes the keys of an editor that begin a value in place of a hole for a string, go on with
    it, or go past the quote that ends a string. Where a value of another type is allowed as well,
    JSON is not put in quotes; an object, a list and a string with quotes are typed unchanged.
    """

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._typed: _Typed | None = None

    def take(self, event: Key) -> bool:
        """Handle a key. Return True if it was used."""
        editor = self._editor
        if editor.read_only or not editor.is_json or not event.is_printable or not event.character:
            return False
        typed = self._going_on() or self._begun(event.character)
        self._typed = None
        if typed is not None and event.character != '"':
            self._write(typed._replace(keys=typed.keys + event.character))
            return True
        if typed is not None and not typed.keys:
            self._write(typed._replace(types=frozenset()))  # with quotes it is a string
            return True
        is_past = event.character == '"' and self._is_before_end_of_string()
        if is_past:
            editor.action_cursor_right()
        return is_past

    def _going_on(self) -> _Typed | None:
        """The value that was being typed, if the next key goes on with it."""
        typed = self._typed
        if typed is None or typed.cursor != self._editor.selection:
            return None
        return typed if self._editor.get_text_range(*typed.place) == typed.value else None

    def _begun(self, character: str) -> _Typed | None:
        """A value that begins with a key in place of a hole for a string; None for no such hole."""
        hole, place = self._editor.holes.hole, self._editor.holes.place
        if hole is None or place is None or not hole.is_text:
            return None
        is_other = {"{": "object", "[": "array"}.get(character) in hole.others
        return None if is_other else _Typed("", hole.others, place, place)

    def _write(self, typed: _Typed) -> None:
        """Write a value in its place, with the cursor where the next key goes on with it."""
        editor = self._editor
        done = editor.replace(typed.value, *typed.place, maintain_selection_offset=False)
        line, column = end = done.end_location
        editor.move_cursor((line, column - 1) if typed.value != typed.keys else end)
        if typed.types:
            place = Selection(typed.place.start, end)
            self._typed = typed._replace(place=place, cursor=editor.selection)

    def _is_before_end_of_string(self) -> bool:
        row, column = self._editor.cursor_location
        before = self._editor.document.get_line(row)[: column + 1]
        is_quote = before[column:] == '"' and not self._editor.selected_text
        return is_quote and len(quotes(before)) % 2 == 0 and len(quotes(before[:-1])) % 2 == 1
