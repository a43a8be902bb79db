"""Rows of labelled one-line fields, with the names in the fixture file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Input, Label

from workbench.core.fixture.findings import Finding
from workbench.session.drafts import text_fields
from workbench.tui.widgets.glyphs import SEVERITIES

# As wide as ``disconnect_after``.
LABEL_WIDTH: Final = 18


class TextField(Input):
    """A one-line field that detects edits.

    Args:
        before: words before it in its row.
        suggestions: values that are completed while typing.
    """

    DEFAULT_CSS = """
    TextField {
        width: 1fr; min-width: 5; height: 1; border: none; padding: 0; background: transparent;
        &:focus { background: $surface-lighten-1; border: none; }
        &.-number { max-width: 10; }
        &.-marked { text-style: bold underline; }
    }
    """

    def __init__(
        self,
        *,
        before: str = "",
        placeholder: str = "",
        is_number: bool = False,
        suggestions: Sequence[str] = (),
    ) -> None:
        super().__init__(
            placeholder=placeholder,
            suggester=SuggestFromList(suggestions) if suggestions else None,
            classes="-number" if is_number else "",
        )
        self.before = before
        self._taken = ""

    @property
    def whole_text(self) -> str:
        return self.value

    @property
    def is_edited(self) -> bool:
        """True if the text differs from the one that was shown or taken last."""
        return self.value != self._taken

    def take_edited(self) -> bool:
        """True if the text was edited since it was shown or since the last call."""
        is_edited = self.is_edited
        self._taken = self.value
        return is_edited

    def show(self, text: str) -> None:
        """Show another text, which does not count as an edit."""
        with self.prevent(Input.Changed):
            self.value = text
        self._taken = self.value


class FieldRow(Horizontal):
    """A label and its fields, by their names, which become their ids."""

    DEFAULT_CSS = """
    FieldRow {
        height: 1;
        & .label { width: 18; color: $text-secondary; }
        & .between { width: auto; color: $foreground-muted; padding: 0 1 0 0; }
    }
    """

    def __init__(self, label: str, **fields: TextField) -> None:
        super().__init__()
        self._text = label
        self._label = Label(label, classes="label")
        self.fields = fields
        for name, field in fields.items():
            field.id = name

    def compose(self) -> ComposeResult:
        yield self._label
        for field in self.fields.values():
            if field.before:
                yield Label(field.before, classes="between")
            yield field

    def mark(self, problems: Iterable[Finding]) -> None:
        """Mark the fields with problems, and the label with a glyph."""
        by_field = {text_fields.at(problem.path): problem for problem in problems}
        glyph = Content("")
        for name, field in self.fields.items():
            field.set_class(name in by_field, "-marked")
            if name in by_field:
                glyph = Content.styled(*SEVERITIES[by_field[name].severity])
        self._label.update(Content(f"{self._text:<{LABEL_WIDTH - 2}}") + glyph, layout=False)


def field_rows(
    fields: Mapping[str, Mapping[str, TextField]], lacking: Collection[str]
) -> list[FieldRow]:
    """A row for each label, without the fields that are lacking."""
    offered = {
        label: {name: field for name, field in of_row.items() if name not in lacking}
        for label, of_row in fields.items()
    }
    return [FieldRow(label, **of_row) for label, of_row in offered.items() if of_row]
