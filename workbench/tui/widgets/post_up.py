"""Post a message to ancestors, even from inside an ancestor's handler."""

from __future__ import annotations

from textual.message import Message
from textual.widget import Widget


def post_up(widget: Widget, message: Message) -> None:
    """Post a message of ``widget`` upwards. A message posted while a handler of an ancestor runs
    has that ancestor as its sender, and Textual does not bubble a message to its sender.
    """
    widget.post_message(message.set_sender(widget))
