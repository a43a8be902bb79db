"""The values a hole can have, offered below the cursor of an editor."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Offset
from textual.widgets import OptionList

from workbench.tui.widgets.inert import one_line


class Choices(OptionList, can_focus=False):
    """A list over the screen, hidden while it has no texts. The editor keeps the focus, and passes
    the keys on.
    """

    DEFAULT_CSS = """
    Choices {
        display: none; position: absolute; overlay: screen; constrain: inside inflect;
        width: auto; height: auto; max-height: 8; padding: 0 1; border: none;
        background: $surface-lighten-2;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: Sequence[str] = ()
        self._typed = ""

    def offer(self, texts: Sequence[str], chosen: str, at: Offset) -> None:
        """Show ``texts``, with one of them highlighted, where the value begins on the screen."""
        if texts != self.texts:
            self.texts, self._typed = texts, ""
            self.set_options(map(one_line, texts))
            self.highlighted = texts.index(chosen) if chosen in texts else 0
        self.absolute_offset = at + Offset(-1, 1)
        self.display = bool(texts)

    def hide(self) -> None:
        self.texts = ()
        self.display = False

    @property
    def chosen(self) -> str:
        """The highlighted text."""
        return self.texts[self.highlighted or 0]

    def type(self, character: str) -> bool:
        """Highlight the first text that begins with the letters typed so far, or with this one;
        returns whether there is one.
        """
        for typed in (self._typed + character.casefold(), character.casefold()):
            for number, text in enumerate(self.texts):
                if text.strip('"').casefold().startswith(typed):
                    self.highlighted, self._typed = number, typed
                    return True
        return False
