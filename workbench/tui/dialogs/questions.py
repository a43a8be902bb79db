"""Questions over the screen: yes or no, a line of text, one of several. Escape leaves each."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Click, Key
from textual.widget import Widget
from textual.widgets import Input, Label, OptionList

from workbench.core.text.digests import short
from workbench.session.export.requests import ExportKind
from workbench.tui.dialogs.dialog import Dialog
from workbench.tui.widgets.inert import one_line

EXPORTS: tuple[tuple[ExportKind, str, str], ...] = (
    ("json", "JSON", "the request as it was received"),
    ("curl", "curl", "a shell script that sends it again"),
    ("python", "Python", "a script that sends it again, with nothing to install"),
    ("markdown", "Markdown", "the conversation with its answers, for a pull request"),
)


class YesOrNo(Dialog[bool | None]):
    """Asks for one key, in place of the status line: ``y`` is yes, ``n`` is no. Any other key or a
    click leaves it, with None as the result.

    Args:
        choices: what the keys do: ``y deletes, any other key keeps it.``
    """

    DEFAULT_CSS = """
    YesOrNo {
        align: left bottom; background: transparent;
        & Label {
            width: 1fr; margin-bottom: 1; padding: 0 1;
            color: $text-warning; background: $background;
        }
    }
    """

    def __init__(self, question: str, choices: str) -> None:
        super().__init__()
        self._text = one_line(f"{question} {choices}")

    def compose(self) -> ComposeResult:
        yield Label(self._text)

    def on_key(self, event: Key) -> None:
        event.stop()
        self.dismiss({"y": True, "n": False}.get(event.key))

    def on_click(self) -> None:
        self.dismiss(None)


class LineQuestion(Dialog[str | None]):
    """Asks for a line of text, in place of the status line. The result is None if it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    DEFAULT_CSS = """
    LineQuestion {
        align: left bottom; background: transparent;
        & Horizontal { height: 1; margin-bottom: 1; padding: 0 1; background: $background; }
        & Label { width: auto; color: $text-primary; }
        & Input { width: 1fr; height: 1; border: none; padding: 0; }
        & Input:focus { border: none; }
    }
    """

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = one_line(f"{question} ")

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Label(self._question)
            yield Input(compact=True, placeholder="Enter takes it, esc cancels")

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: the next key may be text

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)

    def on_click(self, event: Click) -> None:
        if event.widget is self:
            self.dismiss(None)


async def confirm(widget: Widget, question: str, choices: str) -> bool | None:
    """Ask, in a worker: True for a yes, False for a no, None where the question was left.
    ``choices`` as in ``YesOrNo``.
    """
    return await widget.app.push_screen_wait(YesOrNo(question, choices))


async def ask_line(widget: Widget, question: str) -> str | None:
    """Ask for a line of text, in a worker; None where the question was left."""
    return await widget.app.push_screen_wait(LineQuestion(question))


class ExportPicker(Dialog[ExportKind | None]):
    """Asks how to export a request or its conversation: a letter or Enter picks."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", id="export.back", tooltip="Write nothing"),
        *(Binding(name[0].lower(), f"dismiss('{kind}')", name,
                  id=f"export.{kind}", tooltip=f"Write {what}")
          for kind, name, what in EXPORTS),
    ]
    # fmt: on

    DEFAULT_CSS = """
    ExportPicker {
        align: center middle; background: $background 60%;
        & OptionList {
            width: 70; max-width: 90%; height: auto; background: $surface; padding: 0 1;
            border-title-color: $foreground;
        }
        & OptionList, & OptionList:focus { border: heavy $primary; }
    }
    """

    def __init__(self, digest: str) -> None:
        super().__init__()
        self._digest = digest

    def compose(self) -> ComposeResult:
        options = OptionList(*(_export_prompt(name, what) for _, name, what in EXPORTS))
        options.border_title = f"Export {short(self._digest)}   (esc leaves)"
        yield options

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(EXPORTS[event.option_index][0])


def _export_prompt(name: str, what: str) -> Content:
    return Content.styled(name[0].lower(), "bold") + Content(f"  {name:<10}{what}")
