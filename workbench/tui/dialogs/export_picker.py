"""The picker of a form to export a request in: a letter or Enter takes, Escape leaves."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from workbench.core.digest import short
from workbench.session.export import ExportKind
from workbench.tui.widgets.styles import ACCENT, MUTED

FORMS: tuple[tuple[ExportKind, str, str], ...] = (
    ("json", "JSON", "the request as it was received"),
    ("curl", "curl", "a shell script that sends it again"),
    ("python", "Python", "a script that sends it again, with nothing to install"),
)


class ExportPicker(ModalScreen[ExportKind | None]):
    """Asks how a request is to be written."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", id="export.back", tooltip="Write nothing"),
        Binding("j", "dismiss('json')", "JSON", id="export.json", tooltip="Write JSON"),
        Binding("c", "dismiss('curl')", "curl", id="export.curl", tooltip="Write a shell script"),
        Binding("p", "dismiss('python')", "Python", id="export.python", tooltip="Write a script"),
    ]

    DEFAULT_CSS = """
    ExportPicker {
        align: center middle; background: $background 60%;
        & OptionList {
            width: 70; max-width: 90%; height: auto; background: $surface; padding: 0 1;
            border-title-color: $text;
        }
        & OptionList, & OptionList:focus { border: heavy $primary; }
    }
    """

    def __init__(self, digest: str) -> None:
        super().__init__()
        self._digest = digest

    def compose(self) -> ComposeResult:
        options = OptionList(*(Option(_prompt(name, what)) for _, name, what in FORMS))
        options.border_title = f"Export {short(self._digest)}"
        yield options

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(FORMS[event.option_index][0])


def _prompt(name: str, what: str) -> Content:
    key = Content.styled(name[0].lower(), f"bold {ACCENT}")
    return key + Content(f"  {name:<8}") + Content.styled(what, MUTED)
