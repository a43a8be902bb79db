"""One tool call of an answer: its name and id, and its arguments to edit."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from workbench.core.fixture.document import FixtureDocument
from workbench.core.json.spans import Path
from workbench.core.requests.messages import FunctionCall
from workbench.core.requests.view import Tool
from workbench.session.drafts import editing
from workbench.tui.answer.editor import Editor
from workbench.tui.answer.field_row import FieldRow, TextField
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import MUTED


class CallCard(Vertical):
    """Shows one call. Its name can be edited if the request offers no tool of that name.

    Attributes:
        index: its number among the calls.
        call: the call as it is shown.
        editor: of its arguments.
        name_field: of its name.
    """

    DEFAULT_CSS = """
    CallCard {
        height: auto;
        & FieldRow { display: none; }
        &.-nameless FieldRow { display: block; }
    }
    """

    def __init__(self, index: int, call: FunctionCall) -> None:
        super().__init__()
        self.index = index
        self.call = call
        # Not in compose: it is read while a card is being mounted.
        self.name_field = TextField(placeholder="of the tool")
        self.editor = Editor(numbered=True, boxed=True)

    def compose(self) -> ComposeResult:
        yield FieldRow("name", name=self.name_field)
        yield self.editor
        yield self.editor.holes.choices

    def on_mount(self) -> None:
        # Text that is set before the editor has a size does not change its height.
        self.call_after_refresh(self.editor.refresh, layout=True)

    def show(
        self,
        call: FunctionCall,
        tool: Tool | None,
        *,
        keep_lines: bool | None,
    ) -> None:
        """Show another call, or the same one again.

        Args:
            keep_lines: how the same call was stored; arguments that did not change since keep the
                layout they were typed in. None for another call.
        """
        self.editor.holes.set_schema(tool.parameters if tool is not None else None)
        self.set_class(tool is None, "-nameless")
        if keep_lines is None or self._arguments(keep_lines=keep_lines) != call.arguments:
            self.editor.set_text(editing.expanded(call.arguments))
        self.call = call
        self.name_field.show(call.name)
        name = Content.styled(f"call {self.index} ─ ", MUTED) + one_line(call.name, "bold")
        self.editor.set_head(name, f"id {one_line(call.id).plain}")

    def _arguments(self, *, keep_lines: bool) -> str:
        """The arguments as typed, in the form a document stores."""
        text = self.editor.whole_text
        return editing.stored(text, self.call.arguments, keep_lines=keep_lines)

    def written_to(
        self, document: FixtureDocument, at: Path, *, keep_lines: bool
    ) -> FixtureDocument:
        """The document with the edits made since the last call, in the response at ``at``."""
        if self.editor.take_edited():
            arguments = self._arguments(keep_lines=keep_lines)
            document = editing.with_function(document, self.index, "arguments", arguments, at)
        if self.name_field.take_edited():
            name = self.name_field.value
            document = editing.with_function(document, self.index, "name", name, at)
        return document

    def focus_start(self) -> None:
        """Put the cursor into a missing name, else into the first argument to fill in."""
        if self.has_class("-nameless") and not self.call.name:
            self.screen.set_focus(self.name_field)
            return
        self.screen.set_focus(self.editor)
        if not self.editor.holes.go_to(1, enters=True) and self.editor.cursor_location == (0, 0):
            self.editor.move_cursor((0, 1))  # into the object
