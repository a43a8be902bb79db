"""A field of one line in the response editor: Textual's, which says at once that it was edited."""

from __future__ import annotations

from textual.message import Message
from textual.widgets import Input


class Field(Input):
    """A field of one line.

    Attributes:
        is_edited: somebody changed the text since ``show`` or ``take_edited``. True at once, while
            ``Changed`` comes behind the keys that wait.
    """

    is_edited = False

    def show(self, text: str) -> None:
        """Show another text without it counting as an edit."""
        with self.prevent(Input.Changed):
            self.value = text
        self.is_edited = False

    def take_edited(self) -> bool:
        """Whether somebody changed the text since this was last asked."""
        edited, self.is_edited = self.is_edited, False
        return edited

    def post_message(self, message: Message) -> bool:
        self.is_edited |= isinstance(message, Input.Changed)
        return super().post_message(message)
