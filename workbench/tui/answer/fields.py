"""The fields of a response: content, tool calls, and the details in one line.

They show the draft's document and write edits back to it. The document is authoritative; a field
only stores the text that it showed last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.widgets import TextArea

from workbench.core.fixture.findings import Finding
from workbench.core.json.spans import Path
from workbench.core.replies.response import RESPONSE, requests_of, response_of
from workbench.core.requests.messages import FunctionCall
from workbench.core.requests.view import OutputFormat, Tool
from workbench.session.drafts import editing, text_fields
from workbench.session.drafts.store import Draft
from workbench.session.preview.preview import Assessment
from workbench.tui.answer.call_card import CallCard
from workbench.tui.answer.details import Details
from workbench.tui.answer.editor import Editor
from workbench.tui.answer.field_row import TextField
from workbench.tui.answer.problems import call_of, field_marks
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.styles import ACCENT, LABEL, MUTED

# If there are more answers to single requests, the first and the shown one are listed.
REQUESTS_SHOWN = 4
# More tools than these are only in the picker.
OFFERS_SHOWN = 6


class AnswerFields(VerticalScroll, can_focus=False):
    """The fields of one draft.

    Args:
        lacking: the names of fields that are not offered.
    """

    DEFAULT_CSS = """
    AnswerFields {
        height: 1fr; scrollbar-size-vertical: 1;
        & #content { height: 1fr; min-height: 3; overflow-y: auto; }
        & #content.-beside-calls { height: auto; overflow-y: hidden; }
        & #content.-none { height: 1; min-height: 1; border: none; }
        & #requests {
            dock: top; width: 1fr; height: 1; display: none;
            text-wrap: nowrap; text-overflow: ellipsis;
        }
    }
    """

    def __init__(self, lacking: Collection[str]) -> None:
        super().__init__()
        self._format = OutputFormat("text")
        # The shown response: the name of the fixture, and the path of the response in it.
        self._shown: tuple[str, Path] = "", RESPONSE
        # The content in the document, which its editor may show in another layout.
        self._content = ""
        self._requests = SteadyLabel(id="requests")
        self._offers = Content("")
        self.content_editor = Editor(id="content", boxed=True)
        self._cards = Vertical(id="cards")
        self.details = Details(lacking)

    def compose(self) -> ComposeResult:
        yield self._requests
        yield self.content_editor
        yield self.content_editor.holes.choices
        yield self._cards
        yield self.details

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
        editor.holes.set_schema(output_format.schema)
        if is_other or self._typed_content(draft) != content:
            editor.set_text(editing.expanded(content))
        self._content = content
        editor.set_class(bool(calls), "-beside-calls")
        editor.set_class(bool(calls) and not content, "-none")
        by_name = {tool.name: tool for tool in reversed(tools)}
        await self._show_calls(calls, by_name, draft, is_other=is_other)
        values = text_fields.values(document, at)
        await self.details.show(document.response_at(at), values, is_other=is_other)
        self._offers = _offers(calls, tools)
        self._format = output_format
        self._show_placeholder()
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
        self._requests.update(Content.styled("answers  ", LABEL) + switch)

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

    def _show_placeholder(self) -> None:
        """Show in the empty content field what to write."""
        delivery = self.details.delivery.delivery
        if delivery is not None and delivery.error is not None:
            self.content_editor.placeholder = Content(f"error {delivery.error.status} is sent")
        else:
            self.content_editor.placeholder = self._offers

    def show_assessment(self, assessment: Assessment) -> None:
        """Mark the problems and show the computed token counts, unless more was typed since."""
        if any(field.is_edited for field in self.by_name.values()):
            return
        self.details.show_counts(*assessment.preview.tokens)
        # Holes are visible in the text, and are not errors.
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
        preview = assessment.preview
        self.details.delivery.show_delivery(None if preview.unusable else preview.delivery)
        self.details.mark(problems)
        self._show_placeholder()

    # Fields -> document

    def write_to(self, draft: Draft) -> bool:
        """Change a draft by the edits made since the last call. Return True if it differs."""
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
        """The one-line fields by name; the delivery fields only after their first use."""
        return self.details.inputs

    @property
    def by_name(self) -> dict[str, Editor | TextField]:
        """All fields: ``content``, the ``inputs``, and for each call its editor and the field of
        its name.
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
        """Show the format of the content and, while text of several lines is edited, the cursor's
        place.
        """
        editor = self.content_editor
        line, column = editor.cursor_location
        has_place = editor.has_focus and editor.document.line_count > 1
        place = f"{line + 1}:{column + 1}" if has_place else ""
        about = Content.styled(_about(self._format), MUTED)
        editor.set_head(Content.styled("content", LABEL) + about, place)

    def on_descendant_focus(self) -> None:
        self.update_place()

    def on_descendant_blur(self) -> None:
        self.update_place()

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
        if editor.holes.go_to(1, enters=True):
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
        if self.details.delivery.has_focus_within:
            self.details.delivery.fold()
            self.focus_start()
        else:
            await self.details.open("status")

    def focus_finding(self, finding: Finding) -> None:
        """Put the cursor where a problem is."""
        path, editor = finding.path, self.content_editor
        name = text_fields.at(path)
        if name is not None:
            self.call_later(self.details.open, name)
            return
        if (call := call_of(finding)) is not None:
            editor = next((c.editor for c in self.cards if c.index == call), editor)
        self.screen.set_focus(editor)
        for mark in field_marks(editor, [finding], path):
            editor.go_to_value(mark.start, mark.end, finding.inner)


def _about(output_format: OutputFormat) -> str:
    """The required format of the content."""
    if output_format.kind == "json_schema":
        return f" ─ JSON, checked against {output_format.name or 'its schema'}"
    return " ─ JSON" if output_format.is_json else ""


def _offers(calls: Sequence[FunctionCall], tools: Sequence[Tool]) -> Content:
    """The placeholder of an empty content: what is to be written, and which tools can be called."""
    if calls:
        return Content("no content besides the call" + "s" * (len(calls) > 1))
    if not tools:
        return Content("the answer")
    names = [tool.name for tool in tools[:OFFERS_SHOWN]]
    if len(tools) > OFFERS_SHOWN:
        names.append(f"{len(tools) - OFFERS_SHOWN:,} more")
    return one_line(f"the answer; ^t calls {', '.join(names)}")
