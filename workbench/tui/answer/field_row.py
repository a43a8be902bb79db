"""Rows of labelled one-line fields: finish reason, token counts, note, delivery."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Input, Label

from workbench.core.fixtures.findings import Finding
from workbench.session import text_fields
from workbench.tui.answer.problems import GLYPHS

LABEL_WIDTH: Final = 9


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of a row: words before it, and values that are completed while typing."""

    name: str
    before: str = ""
    placeholder: str = ""
    is_number: bool = False
    suggestions: Sequence[str] = ()


class TextField(Input):
    """A one-line field that knows whether its text was edited."""

    DEFAULT_CSS = """
    TextField {
        width: 1fr; min-width: 5; height: 1; border: none; padding: 0; background: transparent;
        &:focus { background: $surface-lighten-1; border: none; }
        &.-number { width: 10; }
        &.-marked { text-style: bold underline; }
    }
    """

    _taken = ""

    @property
    def is_edited(self) -> bool:
        """Whether the text differs from the one that was shown or taken last."""
        return self.value != self._taken

    def take_edited(self) -> bool:
        """Whether the text was edited since it was shown or since the last call."""
        is_edited = self.is_edited
        self._taken = self.value
        return is_edited

    def show(self, text: str) -> None:
        """Show another text, which does not count as an edit."""
        with self.prevent(Input.Changed):
            self.value = text
        self._taken = self.value


class FieldRow(Horizontal):
    """A label and its fields."""

    DEFAULT_CSS = """
    FieldRow {
        height: 1;
        & .label { width: 9; color: $text-secondary; }
        & .between { width: auto; color: $text-muted; padding: 0 1; }
    }
    """

    def __init__(self, label: str, *specs: FieldSpec) -> None:
        super().__init__()
        self._text = label
        self._label = Label(label, classes="label")
        self._specs = specs
        # Not in compose: fields are read while the row is being mounted.
        self.fields = {spec.name: _field(spec) for spec in specs}

    def compose(self) -> ComposeResult:
        yield self._label
        for spec in self._specs:
            if spec.before:
                yield Label(spec.before, classes="between")
            yield self.fields[spec.name]

    def mark(self, problems: Iterable[Finding]) -> None:
        """Mark the fields with problems, and the label with a glyph."""
        found = {text_fields.at(problem.path): problem for problem in problems}
        glyph = Content("")
        for name, field in self.fields.items():
            field.set_class(name in found, "-marked")
            if name in found:
                glyph = Content.styled(*GLYPHS[found[name].severity])
        self._label.update(Content(f"{self._text:<{LABEL_WIDTH - 2}}") + glyph, layout=False)


def _field(spec: FieldSpec) -> TextField:
    return TextField(
        id=spec.name,
        compact=True,
        placeholder=spec.placeholder,
        suggester=SuggestFromList(spec.suggestions) if spec.suggestions else None,
        classes="-number" if spec.is_number else "",
    )
