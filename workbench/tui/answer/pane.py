"""The response editor: fields or the whole document, and its problems."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Protocol

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import TextArea

from workbench.core.fixture.findings import Finding
from workbench.core.json.spans import Path
from workbench.core.replies.response import FixtureError, response_of
from workbench.core.requests.view import OutputFormat, Tool
from workbench.session.drafts.store import Draft
from workbench.session.drafts.text_fields import DELIVERY
from workbench.session.preview.preview import Assessment
from workbench.tui.answer.editor import Editor
from workbench.tui.answer.field_row import TextField
from workbench.tui.answer.fields import AnswerFields
from workbench.tui.answer.new_messages import NewMessages
from workbench.tui.answer.problems import ProblemList, document_mark
from workbench.tui.command import SHOWN, Command, Place, bindings
from workbench.tui.preview.proof_lines import short_proof
from workbench.tui.widgets.frame import Framed
from workbench.tui.widgets.post_up import post_up
from workbench.tui.widgets.status import UNTIL_EDITED, status_of
from workbench.tui.widgets.styles import MUTED

if TYPE_CHECKING:
    from workbench.tui.workspace.draft_actions import DraftActions
    from workbench.tui.workspace.draft_view import DraftView


# In a pane of fewer lines the editors have no box, only a line above them.
LOW = 12
# Seconds without a key, after which the height of the problems may change.
REST = 0.8


class AnswerKeys(Protocol):
    """The target of the pane's keys, in each tab that has one."""

    @property
    def view(self) -> DraftView: ...

    @property
    def draft(self) -> DraftActions: ...

    async def add_call(self) -> None:
        """Add a call of an offered tool, and go there."""

    async def allow(self) -> None:
        """Allow the rule of the chosen problem."""

    def leave(self) -> None:
        """Leave the answer; its draft is kept."""


def _has_fields(parts: AnswerKeys) -> bool:
    """True if the shown draft is an answer, not another value."""
    return not parts.view.is_value


def _takes_first(parts: AnswerKeys) -> bool:
    """True if the first request can have a different answer from later ones."""
    return parts.view.takes_first


class AnswerPane(Framed, Vertical):
    """Shows one draft, and applies edits to it.

    Args:
        lacking: the names of fields that are not offered.

    Attributes:
        as_json: True if the whole document is edited as one text, ``raw``; else ``fields`` are.
        new_messages: the request, if it is not on the screen beside this pane.
    """

    class ResponseChosen(Message):
        """Another response of the document is edited; its preview is needed."""

    label = "Answer"
    BINDING_GROUP_TITLE = "Answer"
    EMPTY = "The answer is written here, if a fixture can give it."
    HELP = (
        "What the server will send, checked as you type. Letters are text here. Press esc before "
        "you use keys that are letters."
    )
    # fmt: off
    TAB_COMMANDS: ClassVar[Sequence[Command[AnswerKeys]]] = (
        Command("answer.add_call", "ctrl+t,f3", "Tool call",
                "Add a call of an offered tool",
                lambda parts: parts.add_call(), bar=SHOWN, in_fields=True, acts=_has_fields),
        Command("answer.leave", "escape", "List",
                "Back to the list; the draft is kept",
                lambda parts: parts.leave(), bar=SHOWN, in_fields=True),
        Command("answer.fix", "ctrl+r,f9", "Fix",
                "Apply the automatic fix of this problem",
                lambda parts: parts.draft.fix(), bar={"fixable": Place.EARLY},
                in_fields=True, acts=_has_fields),
        Command("answer.next_problem", "ctrl+n,f8", "Next problem",
                "Go to the next problem",
                lambda parts: parts.view.answer.next_problem(),
                bar={"problems": Place.EARLY}, in_fields=True, acts=_has_fields),
        Command("answer.edit_outside", "ctrl+o,f4", "$EDITOR",
                "Edit this field in $EDITOR",
                lambda parts: parts.draft.edit_outside(), bar=SHOWN, in_fields=True),
        Command("answer.allow", "ctrl+l,f10", "Allow",
                "Allow or disallow the rule of this problem in this fixture",
                lambda parts: parts.allow(), bar={"problems": Place.LATE},
                in_fields=True, acts=_has_fields),
        Command("answer.remove_call", "ctrl+g,f5", "Remove call",
                "Remove the call the cursor is in",
                lambda parts: parts.draft.remove_call(),
                bar={"in call": Place.EARLY}, in_fields=True, acts=_has_fields),
        # Before the field: with some versions of Textual this key deletes a word.
        Command("answer.delivery", "ctrl+f,f11", "Delivery",
                "Show or hide the delivery: delay, truncate, or fail",
                lambda parts: parts.draft.toggle_delivery(),
                bar=SHOWN, in_fields=True, acts=_has_fields, priority=True),
        # Before the field, where it selects a line.
        Command("answer.response", "f6", "Other request",
                "Go to the next answer, where the first request has an answer of its own",
                lambda parts: parts.draft.next_response(),
                bar={"several": Place.EARLY},
                in_fields=True, priority=True, acts=lambda parts: parts.draft.has_several),
        Command("answer.another", "", "First request",
                "Give the first request, then the next one, an answer of its own",
                lambda parts: parts.draft.add_response(), in_fields=True,
                acts=_takes_first),
        Command("answer.remove_response", "", "Same as later",
                "Remove this answer, so that the request gets the one of later requests",
                lambda parts: parts.draft.remove_response(), in_fields=True,
                acts=_takes_first),
        Command("answer.toggle_json", "f12", "JSON",
                "Edit the whole document as JSON, or its fields",
                lambda parts: parts.draft.toggle_json(),
                bar=SHOWN, labels={"as json": "Fields"}, in_fields=True, acts=_has_fields),
        # Before the field, which has only what was typed in it.
        Command("answer.undo", "ctrl+z", "Undo",
                "Undo the last change of this answer, typed or not",
                lambda parts: parts.draft.undo(), in_fields=True, priority=True),
        Command("answer.redo", "ctrl+y", "Redo",
                "Make the undone change again",
                lambda parts: parts.draft.redo(), in_fields=True, priority=True),
        Command("answer.details", "", "Details",
                "Finish reason, usage, description and delivery",
                lambda parts: parts.view.answer.open_details(), in_fields=True, acts=_has_fields),
        Command("answer.keep_lines", "", "Keep line breaks",
                "Turn keeping line breaks in JSON on or off (off saves it on one line)",
                lambda parts: parts.draft.toggle_lines(), in_fields=True, acts=_has_fields),
    )
    # fmt: on
    BINDINGS: ClassVar[list[BindingType]] = bindings(TAB_COMMANDS)

    DEFAULT_CSS = """
    AnswerPane {
        & #raw { height: 1fr; overflow-y: auto; }
        &.-low {
            & #content { min-height: 2; }
            & ProblemList { max-height: 2; }
            & Editor.-boxed {
                border: blank; border-top: hkey $field-box; border-bottom: none; padding: 0;
                &:focus { border: blank; border-top: hkey $primary; border-bottom: none; }
            }
        }
    }
    """

    def __init__(self, lacking: Collection[str] = ()) -> None:
        super().__init__()
        self._draft: Draft | None = None
        self.as_json = False
        self._wants_json = False
        self._kept = ""
        # The request's conditions on the answer.
        self._tools: Sequence[Tool] = ()
        self._format = OutputFormat("text")
        self.new_messages = NewMessages()
        self.fields = AnswerFields(lacking)
        self.raw = Editor(id="raw", numbered=True, has_texts=True)
        self.problems = ProblemList()
        self._typed_at = 0.0
        self._show_parts()

    def compose(self) -> ComposeResult:
        yield self.new_messages
        yield self.fields
        yield self.raw
        yield self.problems

    def on_resize(self) -> None:
        self.set_class(self.size.height < LOW, "-low")

    @property
    def draft(self) -> Draft | None:
        """The shown draft, as it was opened."""
        return self._draft

    # Showing

    async def show(
        self,
        draft: Draft | None,
        tools: Sequence[Tool],
        output_format: OutputFormat,
        *,
        is_value: bool = False,
    ) -> None:
        """Show a draft: in fields, or as JSON if it is not a valid document, or any other value."""
        shown, self._draft = self._draft, draft
        self._tools, self._format = tools, output_format
        if draft is None:
            self._show_parts()
            return
        if shown is None or shown.name != draft.name:
            self.as_json = self._wants_json
        try:
            draft.document.value  # noqa: B018  # parses the text
        except FixtureError:
            self.as_json = True
        self.as_json = self.as_json or is_value
        self._show_parts()
        if self.as_json:
            self.raw.set_text(draft.text)
        else:
            await self.fields.show(draft, tools, output_format)
        self._say_obstacle()

    async def show_response(self, at: Path) -> None:
        """Edit the response at a path, in fields."""
        draft = self._draft
        if draft is None or at == draft.shown_response:
            return
        self.write_back()
        draft.at = at
        if not self.as_json:
            await self.fields.show(draft, self._tools, self._format)
        self._say_obstacle()
        post_up(self, self.ResponseChosen())

    def facts(self) -> Sequence[Content]:
        return [Content.styled(self._kept, MUTED)] if self._kept else []

    def show_kept(self, state: str) -> None:
        """Show in the frame if the draft is on disk."""
        self._kept = state
        self.update_frame()

    def _show_parts(self) -> None:
        # Not by a CSS class, which would restyle every widget in the pane.
        is_empty = self._draft is None
        self.set_empty(is_empty)
        self.raw.display = self.as_json and not is_empty
        self.fields.display = not self.as_json and not is_empty
        self.problems.display = not is_empty

    def _say_obstacle(self) -> None:
        """If only a part of some text is shown, explain why, and where it can be edited."""
        editors = [self.raw] if self.as_json else self.fields.editors
        obstacle = next((editor.obstacle for editor in editors if editor.obstacle), "")
        self.set_foot(f"{obstacle}. ^o edits it in $EDITOR." if obstacle else "")

    def toggle_json(self) -> None:
        """Switch between fields and JSON, for this draft and the next ones."""
        self.as_json = self._wants_json = not self.as_json
        self._show_parts()

    def show_assessment(self, assessment: Assessment) -> None:
        """Show problems and proof of the checked draft."""
        self._say_obstacle()
        proof = short_proof(assessment.preview, self.content_size.width)
        self.problems.show_findings(assessment.findings, self._allowed(), proof)
        is_typing = monotonic() - self._typed_at < REST
        self.problems.fit(after=REST if is_typing else 0.0)
        if self.as_json:
            worse = (f for f in self.problems.findings if not f.to_fill)
            self.raw.set_marks(list(map(document_mark, worse)))
        else:
            self.fields.show_assessment(assessment)

    def _allowed(self) -> frozenset[str]:
        try:
            return self._draft.document.allowed if self._draft else frozenset()
        except FixtureError:
            return frozenset()

    # Typing

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        editor = event.text_area
        hole = editor.holes.hole if isinstance(editor, Editor) and editor.has_focus else None
        self.problems.show_about(hole.about if hole is not None else "")

    def take_choice(self) -> None:
        """Take the value that was typed towards in the list below the cursor."""
        focused = self.screen.focused
        if isinstance(focused, Editor) and self.has_focus_within:
            focused.holes.take_choice()

    def write_back(self) -> bool:
        """Write edits to the draft. Return True if its text changed."""
        draft = self._draft
        if draft is None:
            return False
        before = draft.text
        edited = [name for name, field in self._shown_fields.items() if field.is_edited]
        if not edited:
            return False
        if self.as_json:
            self.raw.take_edited()
            draft.set_text(self.raw.whole_text)
        else:
            try:
                self.fields.write_to(draft)
            except FixtureError:
                return False
        self._typed_at = monotonic()
        draft.history.typed(draft.state(self.texts()), edited, self._typed_at)
        return draft.text != before

    @property
    def _shown_fields(self) -> dict[str, Editor | TextField]:
        return {"raw": self.raw} if self.as_json else self.fields.by_name

    def texts(self) -> dict[str, str]:
        """The texts in the fields, by their names."""
        return {name: field.whole_text for name, field in self._shown_fields.items()}

    async def bring_back(self, before: Mapping[str, str], shown: Mapping[str, str]) -> None:
        """After an undo or redo, show the texts in their former layout, and go to the change.

        Args:
            before: the texts in the fields before the undo or redo.
            shown: the former texts in the fields, as far as they are known.
        """
        fields = self._shown_fields
        for name, field in fields.items():
            if isinstance(field, Editor) and name in shown:
                field.set_text(shown[name])
        same = {name for name, field in fields.items() if before.get(name) == field.whole_text}
        for name in before.keys() & fields.keys() - same:
            if isinstance(field := fields[name], Editor):
                field.go_to_change(before[name])
        if before.keys() - fields.keys() or fields.keys() - before.keys() - DELIVERY:
            self.enter()
        elif changed := [name for name in fields if name not in same]:
            await self._focus_one_of(changed)

    async def _focus_one_of(self, names: Sequence[str]) -> None:
        """Focus the first of some fields, unless one of them has the focus."""
        fields = self._shown_fields
        if any(fields[name].has_focus for name in names):
            return
        if names[0] in self.fields.inputs:
            await self.fields.details.open(names[0])
        else:
            self.screen.set_focus(fields[names[0]])

    async def open_details(self) -> bool:
        """Go into the fields below content and calls, unless they are open. Return True if it went
        there.
        """
        if self.as_json or self.fields.details.is_open:
            return False
        await self.fields.details.open()
        return True

    def enter(self) -> None:
        """Put the cursor where writing begins; in JSON at the first problem."""
        if not self.as_json:
            self.fields.focus_start()
        elif self.problems.findings:
            self._go_to_text(self.problems.findings[0])
        else:
            self.screen.set_focus(self.raw)

    # Keys

    def next_problem(self) -> None:
        self.problems.choose_next()
        if chosen := self.problems.chosen:
            self.go_to(chosen)
        else:
            status_of(self).say("No problems.", topic=UNTIL_EDITED)

    def go_to_first_error(self) -> None:
        """Put the cursor at the first error."""
        self.problems.choose_first_error()
        if chosen := self.problems.chosen:
            self.go_to(chosen)

    def go_to(self, finding: Finding) -> None:
        """Put the cursor where a problem is, which may be in another response."""
        at = response_of(finding.path)
        if self.as_json:
            self._go_to_text(finding)
        elif self._draft is not None and at not in (self._draft.shown_response, ()):
            self.call_later(self._go_to_other, at, finding)
        else:
            self.fields.focus_finding(finding)

    async def _go_to_other(self, at: Path, finding: Finding) -> None:
        await self.show_response(at)
        self.fields.focus_finding(finding)

    def _go_to_text(self, finding: Finding) -> None:
        self.screen.set_focus(self.raw)
        self.raw.go_to_value(*document_mark(finding)[:2])
