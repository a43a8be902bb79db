"""A draft in the answer pane: what is typed is taken, checked and previewed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, TextArea
from textual.worker import Worker

from workbench.core.apis.table import view
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import OutputFormat, Payload, Tool
from workbench.session.drafts.store import Draft
from workbench.session.preview.preview import Assessment
from workbench.session.session import Session
from workbench.tui.answer.editor import Editor
from workbench.tui.answer.pane import AnswerPane
from workbench.tui.preview.pane import PreviewPane
from workbench.tui.widgets.status import UNTIL_EDITED, say, say_failure, status_of
from workbench.tui.workspace.pane_layout import PaneLayout, PaneRow

ASSESS_AFTER = 0.08


class DraftView(PaneRow):
    """Shows a draft in two panes. Subclasses define its kind and its request.

    Args:
        lacking: the names of fields that are not offered.

    Attributes:
        panes: bring one of them into view.
        takes_first: True if the first requests can have different answers from later ones.
    """

    takes_first: ClassVar[bool] = True
    answer: AnswerPane
    preview: PreviewPane

    def __init__(self, session: Session, panes: PaneLayout, lacking: Collection[str] = ()) -> None:
        super().__init__()
        self.session = session
        self.panes = panes
        self.answer, self.preview = AnswerPane(lacking), PreviewPane(session)
        self._assess_timer: Timer | None = None
        self._showing = asyncio.Lock()

    def compose(self) -> ComposeResult:
        yield self.answer
        yield self.preview

    # For each kind to define

    @property
    def draft(self) -> Draft | None:
        """The shown draft."""
        raise NotImplementedError

    @property
    def payload(self) -> Payload | None:
        """The request that is answered in the preview."""
        raise NotImplementedError

    def answered(self) -> list[Payload]:
        """The requests that the shown draft answers."""
        raise NotImplementedError

    @property
    def is_value(self) -> bool:
        """True if the draft is a JSON value that does not answer an LLM call, so it has no
        fields.
        """
        return False

    def required_draft(self) -> Draft | None:
        """The draft for a key that needs one; if there is none, a message is shown."""
        raise NotImplementedError

    def check(self, draft: Draft) -> Callable[[], Assessment]:
        """A function that checks the present draft, in a thread."""
        raise NotImplementedError

    async def show_draft(self) -> None:
        """Show the draft as it is now."""
        raise NotImplementedError

    def keep_soon(self) -> None:
        """The draft was changed: keep it."""

    def show_assessment(self, name: str, assessment: Assessment) -> None:
        """Show the check of a draft, if it is of what the draft is now."""
        raise NotImplementedError

    # Common to all kinds

    def tools(self) -> list[Tool]:
        """The tools the shown request offers."""
        return view(self.payload).tools if self.payload else []

    def output_format(self) -> OutputFormat:
        """The format of the content; of several requests that it answers, the first that requires
        JSON.
        """
        formats = [view(payload).output_format for payload in self.answered()]
        return next((each for each in formats if each.is_json), OutputFormat("text"))

    def write_back(self) -> None:
        """Take what was typed into the draft now, and keep it soon."""
        if self.answer.write_back():
            self.keep_soon()

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _check_soon(self, event: TextArea.Changed | Input.Changed) -> None:
        event.stop()
        status_of(self).clear(UNTIL_EDITED)
        self.keep_soon()
        self.preview.set_stale(True)
        if self._assess_timer is not None:
            self._assess_timer.stop()
        self._assess_timer = self.set_timer(ASSESS_AFTER, self.assess_now)

    def assess_now(self) -> None:
        """Check the draft and render its preview, in a thread."""
        self.write_back()
        draft = self.draft
        if draft is not None:
            self._assess(draft.name, self.check(draft))

    @work(thread=True, exclusive=True, group="assess", exit_on_error=False, description="checking")
    def _assess(self, name: str, check: Callable[[], Assessment]) -> None:
        self.app.call_from_thread(self.show_assessment, name, check())

    @on(AnswerPane.ResponseChosen)
    @on(PreviewPane.ProfileChanged)
    def _show_another_preview(self, event: Message) -> None:
        event.stop()
        self.assess_now()

    async def change(self, edit: Callable[[Draft], object]) -> bool:
        """Change the shown draft by other means than typing, then show, check and keep it. Return
        True if it could be changed. ``go`` undoes the change.
        """
        self.write_back()
        draft = self.draft
        if draft is None or not self.made(edit, draft):
            return False
        await self._show_change()
        draft.history.changed(draft.state(self.answer.texts()))
        return True

    def made(self, edit: Callable[[Draft], object], draft: Draft) -> bool:
        """Make an edit. Return True if the document could be read; if not, a message is shown."""
        try:
            edit(draft)
        except FixtureError as error:
            self.say(f"The document cannot be read: {error}. Fix it first.", "error")
            return False
        return True

    async def go(self, by: int) -> bool:
        """Undo (-1) or redo (1) the last change of the shown draft, by typing or otherwise. Return
        True if there was one.
        """
        self.write_back()
        draft = self.draft
        state = draft.go(by) if draft is not None else None
        if state is None:
            return False
        before = self.answer.texts()
        await self._show_change()
        await self.answer.bring_back(before, state.shown)
        return True

    async def _show_change(self) -> None:
        """Show, check and keep a draft that was changed by other means than typing."""
        self.keep_soon()
        status_of(self).clear(UNTIL_EDITED)
        await self.show_draft()
        self.assess_now()

    async def go_to_field(self, by: int) -> bool:
        """In the answer, go to the next hole, else to the next field. Return True if there
        was one.
        """
        answer, focused = self.answer, self.app.focused
        if isinstance(focused, Editor) and focused.holes.go_to(by):
            return True
        fields = [widget for widget in self.screen.focus_chain if answer in widget.ancestors]
        if focused not in fields:
            return False
        if not 0 <= fields.index(focused) + by < len(fields):
            return by > 0 and await answer.open_details()
        field = fields[fields.index(focused) + by]
        self.screen.set_focus(field)
        if isinstance(field, Editor):
            field.holes.go_to(by, enters=True)
        return True

    def start(self, doing: Coroutine[Any, Any, object]) -> None:
        """Run a function in a worker that may ask questions; a failure is shown."""
        self.run_worker(doing, group="asking", exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        say_failure(self, event)

    def say(self, text: str, severity: str = "information") -> None:
        """Show a message in the status line."""
        say(self, text, severity)
