"""The request, answer and preview of one digest, and the editing of its draft."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from textual import work
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from workbench.core import jsonedit, requests, skeleton
from workbench.core.digest import short
from workbench.core.fixtures import FixtureError
from workbench.core.requests import Tool
from workbench.session import editing
from workbench.session.drafts import Draft
from workbench.session.preview import Assessment, assess
from workbench.session.session import Session
from workbench.tui.answer_pane import AnswerPane
from workbench.tui.editor import Editor
from workbench.tui.external_editor import EditorFailedError, edit
from workbench.tui.messages import StatusChanged
from workbench.tui.preview_pane import PreviewPane
from workbench.tui.request_pane import RequestPane
from workbench.tui.tool_picker import ToolPicker

ASSESS_AFTER = 0.08
KEEP_AFTER = 0.5


class SubjectView(Container):
    """Shows one digest in three panes. The draft is the session's; this keeps it checked, shown
    and stored.
    """

    @dataclass
    class Changed(Message):
        """What is shown of the digest changed: another one, or its draft was checked or kept.

        Attributes:
            answer_wanted: writing goes on in the answer, which should be in view.
        """

        digest: str | None
        answer_wanted: bool = False

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.subject: str | None = None
        self.kept_at = ""
        self._payloads: Sequence[Mapping[str, Any]] = ()
        self._assess_timer: Timer | None = None
        self._keep_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="upper"):
            yield RequestPane()
            yield AnswerPane()
        yield PreviewPane(self.session)

    @property
    def request(self) -> RequestPane:
        return self.query_one(RequestPane)

    @property
    def answer(self) -> AnswerPane:
        return self.query_one(AnswerPane)

    @property
    def preview(self) -> PreviewPane:
        return self.query_one(PreviewPane)

    # Showing

    async def show(self, digest: str | None, notice: list[Content]) -> None:
        """Show another digest, or the same one anew; what was typed before is kept.

        Args:
            notice: lines that stand before its request.
        """
        self.write_back()
        if digest != self.subject:
            self.kept_at = ""
        self.subject = digest
        self._payloads = self._known_requests(digest) if digest else ()
        self.request.show(self._payloads, notice)
        await self._show_draft()
        if digest is None:
            self.preview.show(None)
        self.assess_now()

    def _known_requests(self, digest: str) -> Sequence[Mapping[str, Any]]:
        """The requests of a digest: those seen in the log, else the one its fixture stores."""
        seen = self.session.book.payloads(digest)
        if seen:
            return seen
        try:
            stored = self.session.draft(digest).document.request
        except FixtureError:
            return ()
        return (stored,) if stored else ()

    async def _show_draft(self) -> None:
        draft = self.session.draft(self.subject) if self.subject else None
        await self.answer.show(draft, self.tools(), self._shape())
        self._tell(self.Changed(self.subject))

    def tools(self) -> list[Tool]:
        """The tools the shown request offers."""
        return requests.tools(self._payloads[self.request.variant]) if self._payloads else []

    def _shape(self) -> str:
        """What the content has to be, for its heading; "" for any text."""
        for payload in self._payloads:
            shape = requests.response_format(payload)
            if shape.kind == "json_schema":
                return f" ─ JSON, checked against {shape.name or 'its schema'}"
            if shape.kind == "json_object":
                return " ─ JSON"
        return ""

    # Editing

    def write_back(self) -> None:
        """Take what was typed into the draft now, and keep it soon."""
        if self.answer.write_back():
            self._keep_soon()

    def on_answer_pane_edited(self, event: AnswerPane.Edited) -> None:
        event.stop()
        self.preview.add_class("-stale")
        if self._assess_timer is not None:
            self._assess_timer.stop()
        self._assess_timer = self.set_timer(ASSESS_AFTER, self.assess_now)

    def assess_now(self) -> None:
        """Check the draft as it is now and show what follows, from a thread."""
        self.write_back()
        if self.subject is None:
            return
        draft = self.session.draft(self.subject)
        self._assess(draft.text, self.subject, self._payloads, draft.revision, self.request.variant)

    @work(thread=True, exclusive=True, group="assess", exit_on_error=False)
    def _assess(
        self,
        text: str,
        digest: str,
        payloads: Sequence[Mapping[str, Any]],
        revision: int,
        variant: int,
    ) -> None:
        result = assess(text, digest, payloads, revision=revision, variant=variant)
        self.app.call_from_thread(self._show_assessment, digest, result)

    def _show_assessment(self, digest: str, assessment: Assessment) -> None:
        draft = self.session.drafts.get(digest)
        if draft is None or draft.revision != assessment.revision:
            return
        self.session.assessments[digest] = assessment
        self._tell(self.Changed(digest))
        if digest == self.subject:
            self.answer.show_assessment(assessment)
            self.preview.show(assessment.preview)

    def on_preview_pane_profile_changed(self, event: PreviewPane.ProfileChanged) -> None:
        event.stop()
        self.assess_now()

    def verify(self) -> None:
        """Compare the preview with what the server sends now."""
        self.write_back()
        if self.subject is not None:
            payload = self._payloads[self.request.variant] if self._payloads else None
            self.preview.verify(self.subject, payload)

    def _keep_soon(self) -> None:
        if self._keep_timer is not None:
            self._keep_timer.stop()
        self._keep_timer = self.set_timer(KEEP_AFTER, self._keep)

    @work(thread=True, group="keep", exit_on_error=False)
    def _keep(self) -> None:
        """Write what changed to disk, from a thread."""
        try:
            self.session.drafts.store_changed()
        except OSError as error:
            said = f"The draft cannot be kept: {error.strerror}."
            self.app.call_from_thread(self.say, said, "error")
        else:
            self.app.call_from_thread(self._kept)

    def _kept(self) -> None:
        draft = self.session.drafts.get(self.subject) if self.subject else None
        if draft is not None and draft.kept_revision == draft.revision:
            self.kept_at = f"draft kept {datetime.now():%H:%M:%S}"
            self._tell(self.Changed(self.subject))

    def keep_now(self) -> None:
        """Take in and keep what was typed, before the application ends. Raises OSError."""
        self.write_back()
        self.session.drafts.store_changed()

    async def add_call(self) -> None:
        """Add a call of an offered tool; with several, ask which."""
        offered = self.tools()
        if len(offered) > 1:
            self.app.push_screen(ToolPicker(offered), self._tool_picked)
        else:
            await self._tool_picked(offered[0] if offered else Tool("", "", None, False))

    async def _tool_picked(self, tool: Tool | None) -> None:
        if tool is None or self.subject is None:
            return
        digest = self.subject
        number = len(self.answer.fields.cards)

        def edit(draft: Draft) -> None:
            call = skeleton.tool_call(digest, number, tool)
            draft.set_text(editing.with_call(draft.document, call).text)

        if await self.change(edit):
            self._tell(self.Changed(digest, answer_wanted=True))
            self.call_after_refresh(self.answer.fields.focus_call, number)

    async def remove_call(self) -> None:
        """Remove the call the cursor is in."""
        number = self.answer.fields.focused_call
        if number is None:
            self.say("The cursor is in no tool call.")
        elif await self.change(
            lambda draft: draft.set_text(editing.without_call(draft.document, number).text)
        ):
            self.answer.focus_start()

    async def on_answer_pane_fix_requested(self, event: AnswerPane.FixRequested) -> None:
        """Make a fix, worked out anew for the text as it is now."""
        event.stop()
        if self.subject is None:
            return
        self.write_back()
        wanted = (event.finding.rule, event.finding.path, event.finding.inner)
        now = self.session.assess(self.subject).findings
        fix = next((f.fix for f in now if (f.rule, f.path, f.inner) == wanted and f.fix), None)
        if fix is not None and await self.change(
            lambda draft: draft.set_text(jsonedit.apply(draft.text, fix.edits))
        ):
            self.say(f"Fixed: {fix.title}.")

    async def on_answer_pane_allow_requested(self, event: AnswerPane.AllowRequested) -> None:
        """Allow a rule in this fixture; asked for the same one again, or where none is left, take
        the last one back.
        """
        event.stop()
        if self.subject is None:
            return
        allowed = sorted(self.session.draft(self.subject).document.allowed)
        rule = event.rule or (allowed[-1] if allowed else "")
        now = rule not in allowed
        if rule and await self.change(
            lambda draft: draft.set_text(editing.with_allowed(draft.document, rule, now).text)
        ):
            back = "^l takes it back." if now else ""
            self.say(f"{rule} is {'' if now else 'no longer '}allowed in this fixture. {back}")

    async def edit_outside(self) -> None:
        """Edit the focused field, or else the whole document, in ``$EDITOR``."""
        if self.subject is None:
            return
        self.write_back()
        field = self.app.focused if isinstance(self.app.focused, Editor) else None
        digest = short(self.subject)
        before = field.text if field else self.session.draft(self.subject).text
        name = f"{digest}.json" if field is None or field.text[:1] in "{[" else f"{digest}.txt"
        try:
            after = edit(self.app, self.session.state_folder, name, before)
        except EditorFailedError as error:
            self.say(str(error), "warning")
            return
        if not before.endswith("\n"):
            after = after.removesuffix("\n")  # editors end the last line
        if field is not None:
            field.replace(after, (0, 0), field.document.end, maintain_selection_offset=False)
        elif await self.change(lambda draft: draft.set_text(after)):
            self.say("Taken over from the editor." if after != before else "Nothing changed.")

    async def toggle_lines(self) -> None:
        """Keep JSON on several lines as typed, or each on one line."""

        def edit(draft: Draft) -> None:
            draft.keep_lines = not draft.keep_lines
            draft.set_text(editing.relaid(draft.document, keep_lines=draft.keep_lines).text)

        await self.change(edit)

    async def toggle_json(self) -> None:
        """Edit the whole document as text, or its fields again."""
        self.write_back()
        self.answer.toggle_class("-json")
        if await self.change(lambda _: None):
            self._tell(self.Changed(self.subject, answer_wanted=True))
            self.call_after_refresh(self.answer.focus_start)

    async def change(self, edit: Callable[[Draft], object]) -> bool:
        """Change the draft by other means than typing, then show, check and keep it. Returns
        whether it could be changed.
        """
        if self.subject is None:
            return False
        self.write_back()
        try:
            edit(self.session.draft(self.subject))
        except FixtureError as error:
            self.say(f"The document cannot be read: {error}. Mend it first.", "error")
            return False
        await self._show_draft()
        self._keep_soon()
        self.assess_now()
        return True

    def _tell(self, message: Message) -> None:
        """Post a message upwards. This runs in the workspace's own handlers too, which would make
        the workspace its sender, and Textual does not bubble a message to its sender.
        """
        self.post_message(message.set_sender(self))

    def say(self, text: str, severity: str = "information") -> None:
        self._tell(StatusChanged(text, severity))
