"""The values a hole can have, offered below the cursor of an editor."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Offset
from textual.widgets import OptionList

from workbench.tui.widgets.inert import one_line


class Choices(OptionList, can_focus=False):
    """A list over the screen, hidden while it is empty. The editor keeps the focus, and forwards
    the keys.

    Attributes:
        texts: the values, each as JSON.
        is_used: True if a key was used for it since it is shown.
    """

    DEFAULT_CSS = """
    Choices {
        display: none; position: absolute; overlay: screen; constrain: inside inflect;
        width: auto; height: auto; max-height: 8; padding: 0 1; border: none;
        background: $panel;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: Sequence[str] = ()
        self.is_used = False
        self._typed = ""

    def offer(self, texts: Sequence[str], at: Offset) -> None:
        """Show ``texts`` at the beginning of the hole on the screen."""
        if texts != self.texts:
            self.texts, self.is_used, self._typed = texts, False, ""
            self.set_options(map(one_line, texts))
            self.highlighted = 0
        self.absolute_offset = at + Offset(-1, 1)
        self.display = bool(texts)

    def hide(self) -> None:
        self.texts, self.is_used = (), False
        self.display = False

    @property
    def chosen(self) -> str:
        """The highlighted text."""
        return self.texts[self.highlighted or 0]

    def move(self, by: int) -> None:
        """Highlight the next text, or with -1 the previous one."""
        self.is_used = True
        if by > 0:
            self.action_cursor_down()
        else:
            self.action_cursor_up()

    def type(self, character: str) -> bool:
        """Highlight the first text that begins with the letters typed so far, or with this one.
        Return True if there is one.
        """
        for typed in (self._typed + character.casefold(), character.casefold()):
            for number, text in enumerate(self.texts):
                if text.strip('"').casefold().startswith(typed):
                    self.highlighted, self._typed, self.is_used = number, typed, True
                    return True
        return False
