"""Questions over the screen: by a key, a line of text, one of several. Escape leaves each."""

from __future__ import annotations

from collections.abc import Mapping
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
from workbench.tui.widgets.labels import Buttons, named_key

EXPORTS: tuple[tuple[ExportKind, str, str], ...] = (
    ("json", "JSON", "the request as it was received"),
    ("curl", "curl", "a shell script that sends it again"),
    ("python", "Python", "a script that sends it again, with nothing to install"),
    ("markdown", "Markdown", "the conversation with its answers, for a pull request"),
)


class Answers(Buttons, Label):
    """The keys that answer a question, each a button, in place of the key bar.

    Args:
        answers: each key as it is displayed, what it does, and the action of the dialog.
    """

    DEFAULT_CSS = """
    Answers { width: 1fr; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, *answers: tuple[str, str, str]) -> None:
        super().__init__()
        self.show(*answers)

    def show(self, *answers: tuple[str, str, str]) -> None:
        """Show other answers; each is left by Escape."""
        parts = (
            named_key(key, verb).stylize(f"@click=screen.{action}")
            for key, verb, action in (*answers, ("esc", "Back", "dismiss(None)"))
        )
        self.update(Content("   ").join(parts))


class KeyQuestion(Dialog[str | None]):
    """Asks for one key, in place of the status line. Any other key or a click leaves it, with None
    as the result.

    Args:
        answers: what each key does, a verb; "" for a key that is not shown.
    """

    DEFAULT_CSS = """
    KeyQuestion {
        align: left bottom; background: transparent;
        & #question { width: 1fr; padding: 0 1; color: $text-warning; background: $background; }
    }
    """

    def __init__(self, question: str, answers: Mapping[str, str]) -> None:
        super().__init__()
        self._question = question
        self._answers = dict(answers)
        self._label, self._bar = Label(id="question"), Answers()
        self.add("", {})

    def compose(self) -> ComposeResult:
        yield self._label
        yield self._bar

    def add(self, sentence: str, answers: Mapping[str, str]) -> None:
        """Add a sentence to the question, and further answers."""
        self._question = f"{self._question} {sentence}".rstrip()
        self._answers |= answers
        self._label.update(one_line(self._question))
        shown = ((key, verb, f"dismiss('{key}')") for key, verb in self._answers.items() if verb)
        self._bar.show(*shown)

    def on_key(self, event: Key) -> None:
        event.stop()
        self.dismiss(event.key if event.key in self._answers else None)

    def on_click(self) -> None:
        self.dismiss(None)


class LineQuestion(Dialog[str | None]):
    """Asks for a line of text, in place of the status line. The result is None if it was left.

    Args:
        verb: what is done with the line.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    DEFAULT_CSS = """
    LineQuestion {
        align: left bottom; background: transparent;
        & Horizontal { height: 1; padding: 0 1; background: $background; }
        & Label { width: auto; color: $text-primary; }
        & Input { width: 1fr; height: 1; border: none; padding: 0; }
        & Input:focus { border: none; }
    }
    """

    def __init__(self, question: str, verb: str) -> None:
        super().__init__()
        self._question = one_line(f"{question} ")
        self._verb = verb

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Label(self._question)
            yield Input(compact=True)
        enter = self.app.get_key_display(Binding("enter", ""))
        yield Answers((enter, self._verb, "take"))

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: the next key may be text

    def on_input_submitted(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        self.dismiss(self.query_one(Input).value)

    def on_click(self, event: Click) -> None:
        if event.widget is self:
            self.dismiss(None)


async def confirm(widget: Widget, question: str, yes: str, no: str = "") -> bool | None:
    """Ask, in a worker: True for ``y``, False for ``n``, None where the question was left.

    Args:
        yes, no: verbs, as in ``KeyQuestion``.
    """
    answer = await widget.app.push_screen_wait(KeyQuestion(question, {"y": yes, "n": no}))
    return None if answer is None else answer == "y"


async def ask_line(widget: Widget, question: str, verb: str) -> str | None:
    """Ask for a line of text, in a worker; None where the question was left. ``verb`` as in
    ``LineQuestion``.
    """
    return await widget.app.push_screen_wait(LineQuestion(question, verb))


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
            width: 74; max-width: 96%; height: auto; background: $surface; padding: 0 1;
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
