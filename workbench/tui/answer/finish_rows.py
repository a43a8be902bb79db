"""How an answer ends: its finish reason, its token counts, and the note for who reads the file."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.suggester import SuggestFromList
from textual.widgets import Label

from workbench.core.fixtures.document import FixtureDocument
from workbench.session import editing
from workbench.session.preview import Preview
from workbench.tui.widgets.field import Field

FINISH_REASONS = ("stop", "tool_calls", "length", "content_filter")


class FinishRows(Vertical):
    """Two rows of fields."""

    DEFAULT_CSS = """
    FinishRows {
        height: auto;
        & #finish { width: 15; }
        & .tokens { width: 1fr; min-width: 5; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        suggester = SuggestFromList(FINISH_REASONS)
        self.finish = Field(id="finish", compact=True, placeholder="stop", suggester=suggester)
        self.prompt = Field(id="prompt", compact=True, classes="tokens")
        self.completion = Field(id="completion", compact=True, classes="tokens")
        hint = "what this answers, for the reader"
        self.note = Field(id="note", compact=True, placeholder=hint)

    def compose(self) -> ComposeResult:
        with Horizontal(classes="row"):
            yield Label("finish", classes="label")
            yield self.finish
            yield Label("usage prompt", classes="between")
            yield self.prompt
            yield Label("completion", classes="between")
            yield self.completion
        with Horizontal(classes="row"):
            yield Label("note", classes="label")
            yield self.note

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.finish, self.prompt, self.completion, self.note

    @property
    def is_edited(self) -> bool:
        """Whether somebody typed into a field since that was last asked for."""
        return any(field.is_edited for field in self.fields)

    def show(self, document: FixtureDocument, *, keep_edited: bool) -> None:
        """Show a document.

        Args:
            keep_edited: fields that were typed into stay as they are.
        """
        values = (
            editing.finish_reason(document),
            *editing.usage(document),
            document.description,
        )
        for field, value in zip(self.fields, values, strict=True):
            if not (keep_edited and field.is_edited):
                field.show(value)

    def show_counts(self, preview: Preview) -> None:
        """Show the counts that are computed where none are given."""
        usage = preview.value.get("usage") or {}
        self.prompt.placeholder = f"({usage.get('prompt_tokens', 0)})"
        self.completion.placeholder = f"({usage.get('completion_tokens', 0)})"

    def written_to(self, document: FixtureDocument) -> FixtureDocument:
        """The document with what was typed since the last time."""
        if self.finish.take_edited():
            document = editing.with_finish_reason(document, self.finish.value)
        # Both are asked: each forgets then that it was edited.
        if self.prompt.take_edited() | self.completion.take_edited():
            document = editing.with_usage(document, self.prompt.value, self.completion.value)
        if self.note.take_edited():
            document = editing.with_description(document, self.note.value)
        return document
