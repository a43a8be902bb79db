"""Fields that know at once that somebody changed their text."""

from __future__ import annotations

from typing import ClassVar

from textual.message import Message
from textual.widget import Widget


class EditedField(Widget):
    """A field that is edited, with every change of which a message is posted.

    Where it stands among several bases it stands last: Textual finds styles along the first alone.

    Attributes:
        CHANGED: that message.
        is_edited: somebody changed the text since it was shown, or since ``take_edited``. True at
            once, while the message comes behind the keys that wait.
    """

    CHANGED: ClassVar[type[Message]]

    is_edited = False

    def take_edited(self) -> bool:
        """Whether somebody changed the text since this was last asked."""
        edited, self.is_edited = self.is_edited, False
        return edited

    def post_message(self, message: Message) -> bool:
        self.is_edited |= isinstance(message, self.CHANGED)
        return super().post_message(message)
