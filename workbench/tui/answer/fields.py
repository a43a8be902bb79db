"""The fields of a response: content, tool calls, finish reason, usage, note, delivery.

They show the draft's document and write edits back to it. The document is the truth; a field only
knows what it showed last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.widgets import TextArea

from workbench.core.fixture.findings import Finding
from workbench.core.json.spans import Path
from workbench.core.replies.fixture_form import FINISH_REASONS
from workbench.core.replies.response import RESPONSE, requests_of, response_of
from workbench.core.requests.messages import FunctionCall
from workbench.core.requests.view import OutputFormat, Tool
from workbench.session.drafts import editing, text_fields
from workbench.session.drafts.store import Draft
from workbench.session.preview.preview import Assessment
from workbench.tui.answer.call_card import CallCard
from workbench.tui.answer.delivery_card import DeliveryCard
from workbench.tui.answer.editor import Editor
from workbench.tui.answer.field_row import LABEL_WIDTH, FieldRow, TextField
from workbench.tui.answer.problems import call_of, field_marks
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.labels import Heading, SteadyLabel
from workbench.tui.widgets.styles import ACCENT, LABEL, MUTED

# Of more answers to single requests, the first and the shown one are named.
REQUESTS_SHOWN = 4
# More tools than these are only in the picker.
OFFERS_SHOWN = 3


class AnswerFields(VerticalScroll, can_focus=False):
    """The fields of one draft."""

    DEFAULT_CSS = """
    AnswerFields {
        height: 1fr; scrollbar-size-vertical: 1;
        & #content { min-height: 3; }
        & #content.-small { min-height: 1; }
        & #finish { width: 15; }
        & #requests {
            dock: top; width: 1fr; height: 1; display: none;
            text-wrap: nowrap; text-overflow: ellipsis;
        }
        & #lines-switch { width: 1fr; height: 1; display: none; }
        & #offers {
            width: 1fr; color: $foreground-muted; text-wrap: nowrap; text-overflow: ellipsis;
        }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._format = OutputFormat("text")
        # What is shown: the name of the fixture, and the path of the response in it.
        self._shown: tuple[str, Path] = "", RESPONSE
        # The content in the document, which its editor may show in another layout.
        self._content = ""
        self._rows = (
            FieldRow(
                "finish",
                finish=TextField(placeholder="stop", suggestions=FINISH_REASONS),
                prompt=TextField(before="usage in"),
                completion=TextField(before="out"),
            ),
            FieldRow(
                "note",
                note=TextField(placeholder="test and question, unless you write one"),
            ),
        )
        self._requests = SteadyLabel(id="requests")
        self._heading = Heading()
        self.content_editor = Editor(id="content")
        self._cards = Vertical(id="cards")
        self._lines_switch = SteadyLabel(id="lines-switch")
        self._offers = SteadyLabel(id="offers")
        self.delivery = DeliveryCard()

    def compose(self) -> ComposeResult:
        yield self._requests
        yield self._heading
        yield self.content_editor
        yield self.content_editor.choices
        yield self._cards
        yield self._lines_switch
        yield self._offers
        yield from self._rows
        yield self.delivery

    # Document -> fields

    async def show(self, draft: Draft, tools: Sequence[Tool], output_format: OutputFormat) -> None:
        """Show a draft whose text is a fixture; fields that are being edited keep their text."""
        document, at = draft.document, draft.shown_response
        is_other = (draft.name, at) != self._shown
        self._shown = draft.name, at
        if is_other:
            self.scroll_home(animate=False)
        self._show_requests(document.response_paths)
        calls = editing.calls(document, at)
        editor, content = self.content_editor, editing.content(document, at)
        editor.set_schema(output_format.schema)
        if is_other or self._typed_content(draft) != content:
            editor.set_text(editing.expanded(content))
        self._content = content
        editor.set_class(bool(calls), "-small")
        by_name = {tool.name: tool for tool in reversed(tools)}
        await self._show_calls(calls, by_name, draft, is_other=is_other)
        self._show_lines_switch(calls, draft)
        offers = _offers(calls, tools)
        self._offers.styles.height = offers.plain.count("\n") + 1
        self._offers.update(offers)
        values = text_fields.values(document, at)
        await self.delivery.show(document.response_at(at), values, is_other=is_other)
        for name, field in self.inputs.items():
            if is_other or not field.is_edited:
                field.show(values[name])
        self._format = output_format
        editor.is_json = output_format.is_json
        self.update_place()

    def _show_requests(self, paths: Sequence[Path]) -> None:
        """Show which requests get the response that is shown, where there are several."""
        self._requests.display = len(paths) > 1
        _, at = self._shown
        shown = [p for p in paths if len(paths) <= REQUESTS_SHOWN or p in (paths[0], at, RESPONSE)]
        texts = [requests_of(shown[0])]
        texts += [requests_of(path).removesuffix(" request") for path in shown[1:]]
        words = [
            Content.styled(text, "bold" if path == at else MUTED)
            for text, path in zip(texts, shown, strict=True)
        ]
        switch = Content.styled("F6 ", ACCENT) + Content(" · ").join(words)
        switch = switch.stylize("@click=screen.command('answer.response')")
        self._requests.update(Content.styled(f"{'answers':<{LABEL_WIDTH}}", LABEL) + switch)

    async def _show_calls(
        self,
        calls: list[FunctionCall],
        tools: Mapping[str, Tool],
        draft: Draft,
        *,
        is_other: bool,
    ) -> None:
        shown = self.cards
        for card in shown[len(calls) :]:
            await card.remove()
        new = [CallCard(n, call) for n, call in enumerate(calls) if n >= len(shown)]
        if new:
            await self._cards.mount_all(new)
        for card, call in zip(self.cards, calls, strict=True):
            keep_lines = None if is_other or card in new else draft.keep_lines
            card.show(call, tools.get(call.name), keep_lines=keep_lines)

    def _show_lines_switch(self, calls: Sequence[FunctionCall], draft: Draft) -> None:
        """Show how JSON is saved, if there is JSON of several lines."""
        texts = [self._content, *(call.arguments for call in calls)]
        shown = [editing.expanded(text) for text in texts]
        self._lines_switch.display = any(
            "\n" in text and editing.holds_lines(text) for text in shown
        )
        now, other = ("saved on one line", "keep the lines as typed")
        if draft.keep_lines:
            now, other = ("saved with its lines as typed", "save on one line")
        switch = Content.styled(
            f"[{other}]", f"{ACCENT} @click=screen.command('answer.keep_lines')"
        )
        self._lines_switch.update(Content.styled(f"{now}   ", MUTED) + switch)

    def show_assessment(self, assessment: Assessment) -> None:
        """Mark the problems and show the computed token counts, unless more was typed since."""
        if any(field.is_edited for field in self.by_name.values()):
            return
        for name, count in zip(("prompt", "completion"), assessment.preview.tokens, strict=True):
            self.inputs[name].placeholder = f"({count})"
        # Holes can be seen in the text, and are no fault of it.
        _, at = self._shown
        problems = [
            finding
            for finding in assessment.findings
            if finding.severity != "info"
            and not finding.to_fill
            and response_of(finding.path) in (at, ())
        ]
        editor = self.content_editor
        editor.set_marks(field_marks(editor, problems, (*at, "content")))
        for card in self.cards:
            path = (*at, "tool_calls", card.index, "function", "arguments")
            card.editor.set_marks(field_marks(card.editor, problems, path))
        for row in (*self._rows, *self.delivery.rows):
            row.mark(problems)
        preview = assessment.preview
        self.delivery.show_delivery(None if preview.unusable else preview.delivery)

    # Fields -> document

    def write_to(self, draft: Draft) -> bool:
        """Change a draft by the edits made since the last call; returns whether it differs."""
        document, (_, at) = draft.document, self._shown
        if self.content_editor.take_edited():
            document = editing.with_content(document, self._typed_content(draft), at)
        for card in self.cards:
            document = card.written_to(document, at, keep_lines=draft.keep_lines)
        typed = {name: field.value for name, field in self.inputs.items() if field.take_edited()}
        return draft.set_document(text_fields.with_values(document, typed, at))

    def _typed_content(self, draft: Draft) -> str:
        """The content as typed, in the form a document stores."""
        text = self.content_editor.whole_text
        return editing.stored(text, self._content, keep_lines=draft.keep_lines)

    # Places

    @property
    def inputs(self) -> dict[str, TextField]:
        """The one-line fields by name; those of the delivery only once they were needed."""
        rows = (*self._rows, *self.delivery.rows)
        return {name: field for row in rows for name, field in row.fields.items()}

    @property
    def by_name(self) -> dict[str, Editor | TextField]:
        """All fields: ``content``, those of the ``inputs``, and for each call its editor and the
        field of its name.
        """
        calls = {f"call {card.index}": card.editor for card in self.cards}
        names = {f"name of call {card.index}": card.name_field for card in self.cards}
        return {"content": self.content_editor, **calls, **names, **self.inputs}

    @property
    def cards(self) -> list[CallCard]:
        return list(self._cards.query_children(CallCard))

    @property
    def editors(self) -> list[Editor]:
        return [self.content_editor, *(card.editor for card in self.cards)]

    @property
    def focused_call(self) -> int | None:
        """The number of the call that has the cursor."""
        return next((c.index for c in self.cards if c.has_focus_within), None)

    def update_place(self) -> None:
        """Show the cursor's line and column in the heading."""
        line, column = self.content_editor.cursor_location
        about = _heading(self._format)
        left = Content("content").stylize(LABEL) + Content.styled(about, MUTED)
        self._heading.set_parts(left, f"{line + 1}:{column + 1}")

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        self.update_place()
        # An editor is as high as its text, so this container has to scroll to the cursor.
        self.call_after_refresh(self._show_cursor_of, event.text_area)

    def _show_cursor_of(self, area: TextArea) -> None:
        if area.has_focus:
            y = area.cursor_screen_offset.y - self.region.y + round(self.scroll_offset.y)
            self.scroll_to_region(Region(0, y, 1, 1), animate=False, force=True)

    def on_resize(self) -> None:
        for editor in self.editors:
            self.call_after_refresh(self._show_cursor_of, editor)

    def focus_start(self) -> None:
        """Put the cursor where writing begins: into the first hole, else at the end of the content.
        JSON without a hole is selected, so that typing replaces it.
        """
        if self.cards:
            self.focus_call(0)
            return
        editor = self.content_editor
        self.screen.set_focus(editor)
        if editor.go_to_hole(1, enters=True):
            return
        if editor.text and self._format.is_json:
            editor.select_all()
        else:
            editor.move_cursor(editor.document.end)

    def focus_call(self, number: int) -> None:
        """Put the cursor into the first argument of a call to fill in, if there is the call."""
        if number < len(self.cards):
            self.cards[number].focus_start()

    def await_enter(self) -> None:
        """Ignore Enter if it is the next key: a tool was taken at once, without a question."""
        for editor in self.editors:
            if editor is self.screen.focused:
                editor.await_enter()

    async def toggle_delivery(self) -> None:
        """Focus the fields of the delivery; if they have the focus, fold them and go back."""
        if self.delivery.has_focus_within:
            self.delivery.fold()
            self.focus_start()
        else:
            await self.delivery.unfold()

    def focus_finding(self, finding: Finding) -> None:
        """Put the cursor where a problem is."""
        path, editor = finding.path, self.content_editor
        name = text_fields.at(path)
        if name in text_fields.DELIVERY:
            self.call_later(self.delivery.unfold, name)
            return
        if name is not None:
            self.screen.set_focus(self.inputs[name])
            return
        if (call := call_of(finding)) is not None:
            editor = next((c.editor for c in self.cards if c.index == call), editor)
        self.screen.set_focus(editor)
        for mark in field_marks(editor, [finding], path):
            editor.go_to_value(mark.start, mark.end)


def _heading(output_format: OutputFormat) -> str:
    """What format the content must have."""
    if output_format.kind == "json_schema":
        return f" ─ JSON, checked against {output_format.name or 'its schema'}"
    return " ─ JSON" if output_format.is_json else ""


def _offers(calls: Sequence[FunctionCall], tools: Sequence[Tool]) -> Content:
    """Which tools can be called, and the key that adds a call."""
    none = Content.styled("calls    ", LABEL) + Content("none     ")
    start = Content.styled("+ call   ", LABEL) if calls else none
    if not tools:
        return start + Content("^t adds one (this request offers no tools)")
    start += Content.styled("^t ", ACCENT)
    names = [one_line(tool.signature) for tool in tools[:OFFERS_SHOWN]]
    if len(tools) > OFFERS_SHOWN:
        names.append(Content(f"{len(tools) - OFFERS_SHOWN:,} more"))
    return start + Content("\n" + " " * start.cell_length).join(names)
