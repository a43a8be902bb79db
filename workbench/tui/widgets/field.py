"""A field of one line in the response editor: Textual's, which says at once that it was edited."""

from __future__ import annotations

from textual.widgets import Input

from workbench.tui.widgets.edited_field import EditedField


class Field(Input, EditedField):
    """A field of one line."""

    CHANGED = Input.Changed

    def show(self, text: str) -> None:
        """Show another text without it counting as an edit."""
        with self.prevent(Input.Changed):
            self.value = text
        self.is_edited = False
