"""The fields of a response: content, tool calls, finish reason, usage, note, delivery.

They show the draft's document and write back what was typed. The document is the truth; a field
only knows whether somebody typed into it since it was last written back.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Label, TextArea

from workbench.core.apis.chat.request import Tool
from workbench.core.fixtures.document import FixtureDocument
from workbench.core.fixtures.findings import Finding
from workbench.session import delivery_fields, editing
from workbench.session.drafts import Draft
from workbench.session.preview import Assessment
from workbench.tui.answer.call_card import CallCard
from workbench.tui.answer.delivery_card import DeliveryCard
from workbench.tui.answer.editor import Editor
from workbench.tui.answer.field_marks import field_marks
from workbench.tui.answer.finish_rows import FinishRows
from workbench.tui.answer.lines_switch import LinesSwitch
from workbench.tui.widgets.heading import Rule
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.steady_label import SteadyLabel
from workbench.tui.widgets.styles import ACCENT, LABEL, MUTED

# The picker shows all of them.
OFFERS_SHOWN = 3


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
        & .between { width: auto; color: $text-muted; padding: 0 1; }
        & #offers { height: auto; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shape = ""
        self._digest = ""
        # What is in the document for what its editor shows.
        self._content = ""

    def compose(self) -> ComposeResult:
        yield Rule(id="content-rule")
        yield Editor(id="content")
        yield Vertical(id="cards")
        yield LinesSwitch()
        yield SteadyLabel(id="offers")
        yield FinishRows()
        yield DeliveryCard()

    # Document -> fields

    async def show(self, draft: Draft, tools: Sequence[Tool], shape: str) -> None:
        """Show a draft whose text is a fixture. What is typed meanwhile stays as it is typed."""
        document = draft.document
        is_other, self._digest = draft.digest != self._digest, draft.digest
        found = editing.calls(document)
        editor, content = self.content_editor, editing.content(document)
        if is_other or self._typed_content(draft) != content:
            editor.set_text(editing.expanded(content))
        self._content = content
        editor.set_class(bool(found), "-small")
        self.finish.show(document, keep_edited=not is_other)
        offered = {tool.name for tool in tools}
        await self._show_cards(found, offered, draft, is_other=is_other)
        self._show_lines(found, draft)
        self.query_one("#offers", Label).update(_offers(found, tools))
        await self.delivery.show(document, draft.digest)
        self._shape = shape
        self.content_editor.is_json = bool(shape)
        self.update_place()

    async def _show_cards(
        self, found: list[editing.CallFields], offered: set[str], draft: Draft, *, is_other: bool
    ) -> None:
        """Show the calls that were found."""
        cards = self.cards
        for card, fields in zip(cards, found, strict=False):
            is_offered = fields.name in offered
            if is_other:
                card.show(fields, is_offered=is_offered)
            else:
                card.show_anew(fields, is_offered=is_offered, keep_lines=draft.keep_lines)
        for card in cards[len(found) :]:
            await card.remove()
        new = [
            CallCard(number, found[number], is_offered=found[number].name in offered)
            for number in range(len(cards), len(found))
        ]
        if new:
            await self.query_one("#cards").mount_all(new)

    def _show_lines(self, found: Sequence[editing.CallFields], draft: Draft) -> None:
        """Whether JSON is kept on one line; only where something has several."""
        texts = [self._content, *(fields.arguments for fields in found)]
        shown = [editing.expanded(text) for text in texts]
        matters = any("\n" in text and editing.holds_lines(text) for text in shown)
        self.query_one(LinesSwitch).show(draft.keep_lines, matters=matters)

    def show_assessment(self, assessment: Assessment) -> None:
        """Mark the problems and show the token counts that are computed. While more is typed the
        next assessment is awaited.
        """
        if self._is_edited:
            return
        self.finish.show_counts(assessment.preview)
        problems = [f for f in assessment.findings if f.severity != "info"]
        editor = self.content_editor
        editor.set_marks(field_marks(editor, problems, ("response", "content")))
        for card in self.cards:
            path = ("response", "tool_calls", card.index, "function", "arguments")
            card.editor.set_marks(field_marks(card.editor, problems, path))
        self.delivery.show_checked(assessment.preview, problems)

    # Fields -> document

    @property
    def _is_edited(self) -> bool:
        """Whether somebody typed since that was last written back."""
        rows = self.finish.is_edited or self.delivery.is_edited
        return self.content_editor.is_edited or rows or any(card.is_edited for card in self.cards)

    def written_to(self, draft: Draft) -> FixtureDocument:
        """The draft's document with what was typed since the last time."""
        document = draft.document
        if self.content_editor.take_edited():
            document = editing.with_content(document, self._typed_content(draft))
        for card in self.cards:
            document = card.written_to(document, keep_lines=draft.keep_lines)
        return self.delivery.written_to(self.finish.written_to(document))

    def _typed_content(self, draft: Draft) -> str:
        """The content as typed, as it is in a document."""
        text = self.content_editor.whole_text
        return editing.stored(text, self._content, keep_lines=draft.keep_lines)

    # Places

    @property
    def content_editor(self) -> Editor:
        return self.query_one("#content", Editor)

    @property
    def cards(self) -> list[CallCard]:
        return list(self.query(CallCard))

    @property
    def finish(self) -> FinishRows:
        return self.query_one(FinishRows)

    @property
    def delivery(self) -> DeliveryCard:
        return self.query_one(DeliveryCard)

    @property
    def editors(self) -> list[Editor]:
        return [self.content_editor, *(card.editor for card in self.cards)]

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

    def focus_start(self) -> None:
        """Put the cursor where writing begins: the first argument to fill, a skeleton selected so
        that typing replaces it, or the end of the content.
        """
        if self.cards:
            self.focus_call(0)
            return
        editor = self.content_editor
        self.screen.set_focus(editor)
        if editor.text and self._shape:
            editor.select_all()
        else:
            editor.move_cursor(editor.document.end)

    def focus_call(self, number: int) -> None:
        """Put the cursor in a call's first argument that is to be filled."""
        if number < len(self.cards):  # else it is gone again
            self.cards[number].focus_start()

    async def toggle_delivery(self) -> None:
        """Go to the fields of the delivery; from within them, fold them and go back."""
        if self.delivery.has_focus_within:
            self.delivery.fold()
            self.focus_start()
        else:
            await self.delivery.unfold()

    def focus_finding(self, finding: Finding) -> None:
        """Put the cursor where a problem is."""
        path = finding.path
        if (
            path[:2] == ("response", "tool_calls")
            and len(path) > 2
            and path[2] in range(len(self.cards))
        ):
            editor = self.cards[int(path[2])].editor
        elif name := delivery_fields.at(path):
            self.call_later(self.delivery.unfold, name)
            return
        elif path[:2] in (("response", "finish_reason"), ("response", "usage")):
            rows = self.finish
            self.screen.set_focus(rows.finish if path[1] == "finish_reason" else rows.prompt)
            return
        else:
            editor = self.content_editor
        self.screen.set_focus(editor)
        marks = field_marks(editor, [finding], path)
        if marks:
            editor.move_cursor(marks[0].start)


def _offers(found: Sequence[editing.CallFields], tools: Sequence[Tool]) -> Content:
    """What can be called, and how it is added."""
    none = Content.styled("calls    ", LABEL) + Content("none     ")
    start = Content.styled("+ call   ", LABEL) if found else none
    if not tools:
        return start + Content("^t adds one (this request offers no tools)")
    start += Content.styled("^t ", ACCENT)
    names = [one_line(tool.signature) for tool in tools[:OFFERS_SHOWN]]
    if len(tools) > OFFERS_SHOWN:
        names.append(Content(f"{len(tools) - OFFERS_SHOWN:,} more"))
    return start + Content("\n" + " " * start.cell_length).join(names)
