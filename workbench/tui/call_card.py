"""One tool call of an answer: its name and id, and its arguments to edit."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input

from workbench.session import editing
from workbench.tui.editor import Editor
from workbench.tui.heading import Rule
from workbench.tui.inert import one_line
from workbench.tui.steady_label import SteadyLabel
from workbench.tui.styles import MUTED


class CallCard(Vertical):
    """Shows one call. The name of one that is not offered can be typed.

    Attributes:
        index: its number among the calls.
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

    def compose(self) -> ComposeResult:
        yield Rule()
        with Horizontal(classes="row"):
            yield SteadyLabel("name", classes="label")
            yield Input(classes="name", compact=True, placeholder="of the tool")
        yield Editor(numbered=True)

    def on_mount(self) -> None:
        self.show(self.fields, is_offered=self._is_offered)
        # What an editor is told before it is on the screen lays nothing out.
        self.call_after_refresh(self.editor.refresh, layout=True)

    def on_resize(self) -> None:
        self._head()

    def show(
        self, fields: editing.CallFields, *, is_offered: bool, keeps_text: bool = False
    ) -> None:
        """Show another call.

        Args:
            is_offered: the request offers a tool of its name.
            keeps_text: the editor says its arguments already, in the layout somebody typed.
        """
        self.fields = fields
        self.set_class(not is_offered, "-nameless")
        with self.name_field.prevent(Input.Changed):
            self.name_field.value = fields.name
        if not keeps_text:
            self.editor.set_text(editing.expanded(fields.arguments))
        self._head()

    def _head(self) -> None:
        name = Content.styled(f"call {self.index} ─ ", MUTED)
        name += one_line(self.fields.name, "bold $text-accent")
        self.query_one(Rule).set_parts(name, f"id {one_line(self.fields.id).plain}")

    @property
    def name_field(self) -> Input:
        return self.query_one(Input)

    @property
    def editor(self) -> Editor:
        return self.query_one(Editor)

    def focus_start(self) -> None:
        """Put the cursor where writing begins: a name that is missing, else the first argument
        that is to be filled.
        """
        if self.has_class("-nameless") and not self.fields.name:
            self.name_field.focus()
            return
        self.editor.focus()
        hole = self.editor.text.find('""')
        if hole >= 0:
            self.editor.move_cursor(self.editor.location_at(hole + 1))
