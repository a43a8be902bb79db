"""The holes of an editor's text: where they are, and filling them in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.events import Key
from textual.geometry import Offset
from textual.widgets.text_area import Location, Selection

from workbench.core.fixture import schema_parts
from workbench.core.fixture.skeleton import Hole, skeleton
from workbench.core.json.holes import holes, holes_in_strings
from workbench.core.json.spans import Path
from workbench.tui.answer.choices import Choices
from workbench.tui.answer.stand_ins import without_stand_ins

if TYPE_CHECKING:
    from workbench.tui.answer.editor import Editor


def _overlap(hole: Selection, first: Location, last: Location) -> bool:
    """True if a selection overlaps a hole, or a cursor is inside it."""
    return hole.start < last and first < hole.end


class EditorHoles:
    """Finds the holes of an editor, selects them, and offers what the one at the cursor can be.

    Args:
        has_texts: the strings of the text may have holes as well.

    Attributes:
        choices: what the hole at the cursor can be.
    """

    def __init__(self, editor: Editor, *, has_texts: bool) -> None:
        self.choices = Choices()
        self._editor = editor
        self._has_texts = has_texts
        self._schema: Mapping[str, Any] | None = None
        self._by_text: Mapping[str, Hole] = {}

    def set_schema(self, schema: Mapping[str, Any] | None) -> None:
        """Set the schema of the text, by which holes are filled in: with quotes, or by a choice."""
        if schema != self._schema:
            self._schema = schema
            self._by_text = skeleton(schema).holes if schema is not None else {}

    def takes_text(self, path: Path | None) -> bool:
        """True if a string at a path keeps its quotes, which it also does without a schema."""
        if self._schema is None or not path:
            return True
        return schema_parts.takes_text(schema_parts.part_at(self._schema, path))

    # Where they are

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where a text has holes."""
        return holes_in_strings(text) if self._has_texts else [hole.span() for hole in holes(text)]

    def places(self) -> list[Selection]:
        """Where the holes of the editor are; none unless its text is JSON."""
        editor = self._editor
        spans = self.spans(editor.text) if editor.is_json else ()
        return [
            Selection(editor.location_of(start), editor.location_of(end)) for start, end in spans
        ]

    @property
    def place(self) -> Selection | None:
        """Where the hole is that the cursor is in, or in which all is that is selected."""
        first, last = sorted(self._editor.selection)
        inside = (p for p in self.places() if p.start <= first and last <= p.end)
        return next((place for place in inside if _overlap(place, first, last)), None)

    @property
    def hole(self) -> Hole | None:
        """The hole at the cursor, with its values from the schema."""
        place = self.place
        if place is None:
            return None
        return self._by_text.get(without_stand_ins(self._editor.get_text_range(*place)))

    def widened(self, top: Location, bottom: Location) -> tuple[Location, Location]:
        """The range of an edit, with the whole of each hole of which it has a part."""
        first, last = top, bottom
        for place in self.places():
            if _overlap(place, top, bottom):
                first, last = min(first, place.start), max(last, place.end)
        return first, last

    # Filling them in

    def go_to(self, by: int, *, enters: bool = False) -> bool:
        """Select the next hole, or with -1 the previous one. Return True if there is one.

        Args:
            enters: the editor gets the focus: begin at the start of the text, or with -1 at its
                end.
        """
        if not enters:
            self.take_choice()
        self.choices.hide()
        places = self.places()
        first, last = sorted(self._editor.selection)
        if by > 0:
            place = next((p for p in places if enters or p.start >= last), None)
        else:
            place = next((p for p in reversed(places) if enters or p.end <= first), None)
        if place is not None:
            self._editor.selection = place
        return place is not None

    def offer_choices(self) -> None:
        """Offer the values that the selected hole can have."""
        editor = self._editor
        hole = self.hole if editor.screen.focused is editor else None
        if hole is not None and hole.choices and editor.selected_text:
            at = editor.cursor_screen_offset - Offset(cell_len(editor.selected_text), 0)
            self.choices.offer(hole.choices, at)
        elif self.choices.texts:
            self.choices.hide()

    def take(self, event: Key) -> bool:
        """Forward a key to the list of values. Return True if the list used it."""
        if not self.choices.texts:
            return False
        if event.key == "enter":
            self._take_choice()
            self.go_to(1)
            return True
        return event.character is not None and self.choices.type(event.character)

    def take_choice(self) -> None:
        """Take the highlighted value if a key was meant for the list of values."""
        if self.choices.is_used:
            self._take_choice()

    def _take_choice(self) -> None:
        """Write the chosen value in place of the selected hole."""
        editor, chosen = self._editor, self.choices.chosen
        self.choices.hide()
        done = editor.replace(chosen, *sorted(editor.selection), maintain_selection_offset=False)
        editor.move_cursor(done.end_location)
