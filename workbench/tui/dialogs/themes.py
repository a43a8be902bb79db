"""Chooses a theme, which is shown while it is selected."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.theme import Theme

from workbench.tui.dialogs.picker import Choice, Picker
from workbench.tui.widgets.styles import OURS


class ThemePicker(Picker[str]):
    """Lets you choose a theme. Leaving it restores the former theme.

    Args:
        before: the name of the present theme.
    """

    DEFAULT_CSS = """
    ThemePicker {
        align: right middle; background: transparent;
        & Vertical { width: 40; max-height: 100%; }
        & OptionList { max-height: 100%; }
    }
    """

    def __init__(self, themes: Iterable[Theme], before: str) -> None:
        ours_first = sorted(themes, key=lambda theme: (theme.name not in OURS, theme.name))
        names = [theme.name for theme in ours_first]
        choices = list(map(_choice, ours_first))
        super().__init__("Theme", "theme", choices, names.index(before))
        self._before = before

    def on_option_list_option_highlighted(self) -> None:
        if self.highlighted is not None:
            self.app.theme = self.highlighted.value

    def action_leave(self) -> None:
        self.app.theme = self._before
        self.dismiss(None)


def _choice(theme: Theme) -> Choice[str]:
    about = "terminal" if theme.ansi else "dark" if theme.dark else "light"
    line = Content.styled(f"{theme.name:<22} ", "bold") + Content(about)
    return Choice(theme.name, line, theme.name)
