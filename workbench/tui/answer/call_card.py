"""One tool call of an answer: its name and id, and its arguments to edit."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content

from workbench.core.fixtures.document import FixtureDocument
from workbench.session import editing
from workbench.tui.answer.editor import Editor
from workbench.tui.widgets.field import Field
from workbench.tui.widgets.heading import Rule
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.steady_label import SteadyLabel
from workbench.tui.widgets.styles import MUTED


class CallCard(Vertical):
    """Shows one call. The name of one that is not offered can be typed.

    Attributes:
        index: its number among the calls.
        fields: what is shown of the call.
        editor: of its arguments.
        name_field: of its name, where no tool of that name is offered.
    """

    DEFAULT_CSS = """
    CallCard {
        height: auto;
        & .row { display: none; }
        &.-nameless .row { display: block; }
    }
    """

    def __init__(self, index: int, fields: editing.CallFields, *, is_offered: bool) -> None:
        super().__init__()
        self.index = index
        self.fields = fields
        self._is_offered = is_offered
        # Not by compose: what is written back is asked for while a card is being mounted.
        self.name_field = Field(classes="name", compact=True, placeholder="of the tool")
        self.editor = Editor(numbered=True)
        self._rule = Rule()

    def compose(self) -> ComposeResult:
        yield self._rule
        with Horizontal(classes="row"):
            yield SteadyLabel("name", classes="label")
            yield self.name_field
        yield self.editor

    def on_mount(self) -> None:
        self.show(self.fields, is_offered=self._is_offered)
        # What an editor is told before it is on the screen lays nothing out.
        self.call_after_refresh(self.editor.refresh, layout=True)

    def on_resize(self) -> None:
        self._head()

    def show(self, fields: editing.CallFields, *, is_offered: bool) -> None:
        """Show another call.

        Args:
            is_offered: the request offers a tool of its name.
        """
        self.editor.set_text(editing.expanded(fields.arguments))
        self._show_others(fields, is_offered=is_offered)

    def show_anew(self, fields: editing.CallFields, *, is_offered: bool, keep_lines: bool) -> None:
        """Show this call as it is now. Where the arguments are what the editor says, they stay in
        the layout somebody typed.
        """
        if self._arguments(keep_lines=keep_lines) == fields.arguments:
            self._show_others(fields, is_offered=is_offered)
        else:
            self.show(fields, is_offered=is_offered)

    def _show_others(self, fields: editing.CallFields, *, is_offered: bool) -> None:
        """Show what there is beside the arguments."""
        self.fields = fields
        self.set_class(not is_offered, "-nameless")
        self.name_field.show(fields.name)
        self._head()

    def _arguments(self, *, keep_lines: bool) -> str:
        """The arguments as typed, as they are in a document."""
        text = self.editor.whole_text
        return editing.stored(text, self.fields.arguments, keep_lines=keep_lines)

    @property
    def is_edited(self) -> bool:
        """Whether somebody typed into it since that was last asked for."""
        return self.editor.is_edited or self.name_field.is_edited

    def written_to(self, document: FixtureDocument, *, keep_lines: bool) -> FixtureDocument:
        """The document with what was typed since the last time.

        Args:
            keep_lines: JSON keeps its lines as typed.
        """
        if self.editor.take_edited():
            arguments = self._arguments(keep_lines=keep_lines)
            document = editing.with_arguments(document, self.index, arguments)
        if self.name_field.take_edited():
            document = editing.with_name(document, self.index, self.name_field.value)
        return document

    def _head(self) -> None:
        name = Content.styled(f"call {self.index} ─ ", MUTED)
        name += one_line(self.fields.name, "bold $text-accent")
        self._rule.set_parts(name, f"id {one_line(self.fields.id).plain}")

    def focus_start(self) -> None:
        """Put the cursor where writing begins: a name that is missing, else the first argument
        that is to be filled.
        """
        if self.has_class("-nameless") and not self.fields.name:
            self.screen.set_focus(self.name_field)
            return
        self.screen.set_focus(self.editor)
        hole = self.editor.text.find('""')
        if hole >= 0:
            self.editor.move_cursor(self.editor.location_at(hole + 1))
