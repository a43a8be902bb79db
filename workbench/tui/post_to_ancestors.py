"""Post a message to ancestors, even from inside an ancestor's handler."""

from __future__ import annotations

from textual.message import Message
from textual.widget import Widget


class Telling(Widget):
    """A widget that is called by handlers of those around it, and has something to tell them.

    Where it stands among several bases it stands last: Textual finds styles along the first alone.
    """

    def tell(self, message: Message) -> None:
        """Post a message upwards. What is posted while a handler of an ancestor runs has that for
        its sender, and Textual does not bubble a message to its sender.
        """
        self.post_message(message.set_sender(self))
