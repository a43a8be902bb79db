"""The fields of a response: content, tool calls, finish reason, usage, note.

They show the draft's document and write back what was typed. The document is the truth; a field
only knows whether somebody typed into it since it was last written back.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import Input, Label, TextArea

from workbench.core import jsonspan
from workbench.core.findings import Finding
from workbench.core.fixtures import FixtureDocument
from workbench.core.jsonspan import JSONSyntaxError
from workbench.core.requests import Tool
from workbench.session import editing
from workbench.session.drafts import Draft
from workbench.session.preview import Assessment
from workbench.tui.editor import Editor, Mark
from workbench.tui.inert import one_line
from workbench.tui.problems import said
from workbench.tui.steady_label import SteadyLabel
from workbench.tui.styles import ACCENT, ERROR, LABEL, MUTED, WARNING

FINISH_REASONS = ("stop", "tool_calls", "length", "content_filter")


class Rule(SteadyLabel):
    """``content ─────────── 1:59 ──``: a heading that fills the width."""

    DEFAULT_CSS = """
    Rule { width: 1fr; height: 1; color: $text-muted; }
    """

    def set_parts(self, left: Content, right: str = "") -> None:
        width = self.size.width or (self.parent.size.width if self.parent else 0)  # type: ignore[attr-defined]
        end = f" {right} ──" if right else ""
        line = "─" * max(width - left.cell_length - len(end) - 1, 2)
        self.update(left + Content.styled(f" {line}{end}", MUTED))


class LinesSwitch(SteadyLabel):
    """Whether JSON is saved on one line or with its lines as typed; shown where it matters."""

    DEFAULT_CSS = """
    LinesSwitch { width: 1fr; height: 1; display: none; margin-top: 0; }
    """

    class Toggled(Message):
        """The other way was chosen."""

    def show(self, keep_lines: bool, *, matters: bool) -> None:
        self.display = matters
        now, other = (
            ("saved with its lines as typed", "save on one line")
            if keep_lines
            else ("saved on one line", "keep the lines as typed")
        )
        switch = Content(f"[{other}]").stylize(f"{ACCENT} @click=switch")
        self.update(Content.styled(f"{now}   ", MUTED) + switch)

    def action_switch(self) -> None:
        self.post_message(self.Toggled())


class CallCard(Vertical):
    """One tool call: its name and id, and its arguments to edit."""

    DEFAULT_CSS = """
    CallCard { height: auto; }
    """

    def __init__(self, index: int, fields: editing.CallFields) -> None:
        super().__init__()
        self.index = index
        self.fields = fields

    def compose(self) -> ComposeResult:
        yield Rule()
        yield Editor(numbered=True)

    def on_mount(self) -> None:
        self.show(self.fields)

    def on_resize(self) -> None:
        self._head()

    def show(self, fields: editing.CallFields) -> None:
        self.fields = fields
        self.editor.set_text(editing.expanded(fields.arguments))
        self._head()

    def _head(self) -> None:
        name = Content.styled(f"call {self.index} ─ ", MUTED)
        name += one_line(self.fields.name, "bold $text-accent")
        self.query_one(Rule).set_parts(name, f"id {one_line(self.fields.id).plain}")

    @property
    def editor(self) -> Editor:
        return self.query_one(Editor)


class AnswerFields(VerticalScroll, can_focus=False):
    """The fields of one draft."""

    DEFAULT_CSS = """
    AnswerFields {
        height: 1fr; scrollbar-size-vertical: 1;
        & #content { min-height: 3; }
        & #content.-small { min-height: 1; }
        & .row { height: 1; }
        & .label { width: 9; color: $text-secondary; }
        & Input { height: 1; border: none; padding: 0; background: transparent; }
        & Input:focus { background: $surface-lighten-1; border: none; }
        & #finish { width: 15; }
        & .tokens { width: 1fr; min-width: 5; }
        & .between { width: auto; color: $text-muted; padding: 0 1; }
        & #offers { height: auto; color: $text-muted; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._typed: set[str] = set()

    def compose(self) -> ComposeResult:
        yield Rule(id="content-rule")
        yield Editor(id="content")
        yield Vertical(id="cards")
        yield LinesSwitch()
        yield SteadyLabel(id="offers")
        with Horizontal(classes="row"):
            yield Label("finish", classes="label")
            yield Input(
                id="finish",
                compact=True,
                placeholder="stop",
                suggester=SuggestFromList(FINISH_REASONS),
            )
            yield Label("usage prompt", classes="between")
            yield Input(id="prompt", compact=True, classes="tokens")
            yield Label("completion", classes="between")
            yield Input(id="completion", compact=True, classes="tokens")
        with Horizontal(classes="row"):
            yield Label("note", classes="label")
            yield Input(id="note", compact=True, placeholder="what this answers, for the reader")

    # Document -> fields

    async def show(self, draft: Draft, tools: Sequence[Tool], shape: str) -> None:
        """Show a draft whose text is a fixture."""
        document = draft.document
        self._typed.clear()
        found = editing.calls(document)
        self.content_editor.set_text(editing.expanded(editing.content(document)))
        self.content_editor.set_class(bool(found), "-small")
        await self._show_cards(found)
        values = {
            "finish": editing.finish_reason(document),
            "prompt": editing.usage(document)[0],
            "completion": editing.usage(document)[1],
            "note": document.description,
        }
        for name, value in values.items():
            field = self.query_one(f"#{name}", Input)
            with field.prevent(Input.Changed):
                field.value = value
        self._show_lines(draft)
        self._show_offers(found, tools)
        self._shape = shape
        self.update_place()

    async def _show_cards(self, found: list[editing.CallFields]) -> None:
        cards = self.cards
        for card, fields in zip(cards, found, strict=False):
            card.show(fields)
        for card in cards[len(found) :]:
            await card.remove()
        if len(found) > len(cards):
            new = [CallCard(i, found[i]) for i in range(len(cards), len(found))]
            await self.query_one("#cards").mount_all(new)

    def _show_lines(self, draft: Draft) -> None:
        """Whether JSON is kept on one line; only where something has several."""
        texts = [editing.content(draft.document)]
        texts += [call.arguments for call in editing.calls(draft.document)]
        shown = [editing.expanded(text) for text in texts]
        matters = any("\n" in text and editing.holds_lines(text) for text in shown)
        self.query_one(LinesSwitch).show(draft.keep_lines, matters=matters)

    def _show_offers(self, found: list[editing.CallFields], tools: Sequence[Tool]) -> None:
        label = self.query_one("#offers", Label)
        none = Content.styled("calls    ", LABEL) + Content("none     ")
        start = Content.styled("+ call   ", LABEL) if found else none
        if tools:
            names = Content("  ").join([one_line(tool.signature) for tool in tools])
            label.update(start + Content.styled("^t ", ACCENT) + names)
        else:
            label.update(start + Content("^t adds one (this request offers no tools)"))

    def show_assessment(self, assessment: Assessment) -> None:
        """Mark the problems and show the token counts that are computed."""
        usage = _usage(assessment)
        for name, key in (("prompt", "prompt_tokens"), ("completion", "completion_tokens")):
            self.query_one(f"#{name}", Input).placeholder = f"({usage.get(key, 0)})"
        problems = [f for f in assessment.findings if f.severity != "info"]
        self.content_editor.set_marks(
            _marks(self.content_editor, problems, ("response", "content"))
        )
        for card in self.cards:
            path = ("response", "tool_calls", card.index, "function", "arguments")
            card.editor.set_marks(_marks(card.editor, problems, path))

    # Fields -> document

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        card = event.text_area.parent
        self._typed.add(f"call {card.index}" if isinstance(card, CallCard) else "content")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._typed.add(event.input.id or "")

    def written_to(self, draft: Draft) -> FixtureDocument:
        """The draft's document with what was typed since the last time."""
        document = draft.document
        typed, self._typed = self._typed, set()

        def stored(editor: Editor) -> str:
            return editor.text if draft.keep_lines else editing.one_line(editor.text)

        if "content" in typed:
            document = editing.with_content(document, stored(self.content_editor))
        for card in self.cards:
            if f"call {card.index}" in typed:
                document = editing.with_arguments(document, card.index, stored(card.editor))
        if "finish" in typed:
            document = editing.with_finish_reason(document, self._value("finish"))
        if typed & {"prompt", "completion"}:
            document = editing.with_usage(
                document, self._value("prompt"), self._value("completion")
            )
        if "note" in typed:
            document = editing.with_description(document, self._value("note"))
        return document

    def _value(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value

    # Places

    @property
    def content_editor(self) -> Editor:
        return self.query_one("#content", Editor)

    @property
    def cards(self) -> list[CallCard]:
        return list(self.query(CallCard))

    @property
    def focused_call(self) -> int | None:
        """The number of the call the cursor is in."""
        return next((c.index for c in self.cards if c.has_focus_within), None)

    def update_place(self) -> None:
        """Show the cursor's line and column in the heading."""
        line, column = self.content_editor.cursor_location
        left = Content("content").stylize(LABEL) + Content.styled(self._shape, MUTED)
        self.query_one("#content-rule", Rule).set_parts(left, f"{line + 1}:{column + 1}")

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        self.update_place()
        # The field is as high as its text, so it is these fields that scroll to the cursor.
        self.call_after_refresh(self._show_cursor_of, event.text_area)

    def _show_cursor_of(self, area: TextArea) -> None:
        if area.has_focus:
            y = area.cursor_screen_offset.y - self.region.y + round(self.scroll_offset.y)
            self.scroll_to_region(Region(0, y, 1, 1), animate=False, force=True)

    def on_resize(self) -> None:
        self.call_after_refresh(self.update_place)

    _shape = ""

    def focus_start(self) -> None:
        """Put the cursor where writing begins: the first argument to fill, a skeleton selected so
        that typing replaces it, or the end of the content.
        """
        if self.cards:
            self.focus_call(0)
            return
        editor = self.content_editor
        editor.focus()
        if editor.text and self._shape:
            editor.select_all()
        else:
            editor.move_cursor(editor.document.end)

    def focus_call(self, number: int) -> None:
        """Put the cursor in a call's first argument that is to be filled."""
        if number >= len(self.cards):  # it is gone again
            return
        editor = self.cards[number].editor
        editor.focus()
        hole = editor.text.find('""')
        if hole >= 0:
            editor.move_cursor(editor.location_at(hole + 1))

    def focus_finding(self, finding: Finding) -> None:
        """Put the cursor where a problem is."""
        path = finding.path
        if (
            path[:2] == ("response", "tool_calls")
            and len(path) > 2
            and path[2] in range(len(self.cards))
        ):
            editor = self.cards[int(path[2])].editor
        elif path[:2] in (("response", "finish_reason"), ("response", "usage")):
            self.query_one("#finish" if path[1] == "finish_reason" else "#prompt", Input).focus()
            return
        else:
            editor = self.content_editor
        editor.focus()
        marks = _marks(editor, [finding], path)
        if marks:
            editor.move_cursor(marks[0].start)


def _usage(assessment: Assessment) -> dict[str, int]:
    return dict(assessment.preview.value.get("usage") or {})


def _marks(editor: Editor, findings: Sequence[Finding], path: jsonspan.Path) -> list[Mark]:
    """The findings about the string at ``path``, at their places in the editor's text."""
    marks = []
    for finding in findings:
        if finding.path != path:
            continue
        span = _span(editor.text, finding)
        if span is not None:
            start = editor.location_at(span[0])
            line_end = (start[0], len(editor.document.get_line(start[0])))
            end = min(editor.location_at(span[1]), line_end)
            style = ERROR if finding.blocks else WARNING
            marks.append(Mark(start, end, said(finding), style))
    return marks


def _span(text: str, finding: Finding) -> tuple[int, int] | None:
    try:
        root = jsonspan.scan(text).root
    except JSONSyntaxError as error:
        at = min(error.offset, max(len(text) - 1, 0))
        return at, at + 1
    if finding.inner is None:
        return None
    node = root.at(finding.inner) or root.at(finding.inner[:-1])
    return (node.start, node.end) if node else None
