"""The request, answer and preview of one digest, and the editing of its draft."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from workbench.core.apis.table import view
from workbench.core.fixture.names import digest_of, is_made_for, is_variant
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.core.text.digests import short
from workbench.io.files.path_text import cannot_write, shown
from workbench.session.drafts.store import Draft
from workbench.session.export.requests import export
from workbench.session.misses.states import open_name
from workbench.session.preview.preview import Assessment, assess
from workbench.session.session import Session
from workbench.tui.dialogs.questions import ExportPicker
from workbench.tui.request.pane import RequestPane
from workbench.tui.widgets.post_up import post_up
from workbench.tui.widgets.status import (
    NOTHING_SELECTED,
    UNTIL_ANOTHER_ROW,
    status_of,
)
from workbench.tui.widgets.styles import MUTED
from workbench.tui.workspace.draft_view import DraftView
from workbench.tui.workspace.notices import Notice, status_sent
from workbench.tui.workspace.pane_layout import PaneLayout

KEEP_AFTER = 0.3
ONLY_IN_MEMORY = "draft only in memory"


class SubjectView(DraftView):
    """Shows one digest in three panes. The session owns the draft; this view keeps it checked,
    displayed and stored on disk.

    Attributes:
        subject: the shown digest, or the name of a variant; None for nothing.
        fixture_name: the fixture whose draft is shown. Of several requests that share a digest, one
            may have its own.
        panes: bring one of the three into view.
        no_digest: the status line for a key that needs a digest, if none is shown.
    """

    request: RequestPane

    @dataclass
    class Changed(Message):
        """Another digest is shown, or its draft was checked."""

        digest: str | None

    def __init__(self, session: Session, panes: PaneLayout) -> None:
        super().__init__(session, panes)
        self.request = RequestPane()
        self.subject: str | None = None
        self.fixture_name: str | None = None
        self.no_digest = NOTHING_SELECTED
        # How many of them are in the log; the rest is stored in the fixture.
        self.seen_requests = 0
        self._keep_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.request
        yield from super().compose()

    # Showing

    async def show(self, digest: str | None, notice: Notice) -> None:
        """Show a digest, with messages about it; edits are kept."""
        self.write_back()
        is_other = digest != self.subject
        is_same = not is_other and self.request.payload is not None
        if is_other:
            self.answer.show_kept("")
            for pane in (self.request, self.answer, self.preview):
                pane.set_about(Content.styled(short(digest) if digest else "", MUTED))
        self.subject = digest
        self.request.payloads = payloads = self._requests()
        earlier = self.session.turns.turn_before(payloads[0]) if payloads else None
        if is_other:
            self.choose_open_request()
        self.request.show(
            payloads,
            notice.lines,
            earlier,
            about_nearest=notice.nearest,
            is_same=is_same,
        )
        self._show_wait(notice)
        await self.show_draft()
        if digest is None:
            self.preview.show(None)
        self.assess_now()

    def show_notice(self, notice: Notice) -> None:
        """Show the present messages about the shown digest; its request does not move."""
        self.request.show_notice(notice.lines, notice.nearest)
        self._show_wait(notice)
        self.show_status_sent()

    def _show_wait(self, notice: Notice) -> None:
        self.request.set_foot(*notice.wait)
        self.answer.new_messages.show_wait(notice.wait)

    def choose_open_request(self) -> None:
        """Of several requests of the digest, go to the one that needs an answer."""
        self.request.variant = self._first_shown() if self.subject is not None else 0

    def _requests(self) -> tuple[Payload, ...]:
        """The requests of the subject: from the log, else the one that its fixture stores."""
        subject = self.subject
        if subject is None:
            return ()
        is_one = is_variant(subject)
        drafting, index = self.session.drafting, self.session.miss_index
        seen = drafting.requests_of(subject) if is_one else index.payloads(subject)
        self.seen_requests = len(seen)
        if seen:
            return tuple(seen)
        try:
            stored = drafting.open(subject).document.request
        except FixtureError:
            return ()
        return () if stored is None else (stored,)

    def _first_shown(self) -> int:
        """The number of the request to show first: the first that no file answers; without a file,
        the request for which the draft was begun.
        """
        assert self.subject is not None, "only of a subject"
        number = self.session.miss_fixtures.first_open(self.subject)
        if number is not None or len(self.request.payloads) < 2:
            return number or 0
        try:
            draft = self.session.drafting.open(self.subject).document.value
        except FixtureError:
            return 0
        requests = enumerate(map(view, self.request.payloads))
        return next((number for number, request in requests if is_made_for(draft, request)), 0)

    async def show_draft(self) -> None:
        # Mounting the fields of tool calls takes a moment, in which other keys run.
        async with self._showing:
            draft = None
            if self.subject is not None:
                draft = self.session.drafting.choose(self.subject, self.request.payload)
            self.fixture_name = draft.name if draft is not None else None
            payload = self.request.payload
            self.answer.new_messages.show(view(payload) if payload is not None else None)
            await self.answer.show(draft, self.tools(), self.output_format())
        self._post_changed()

    def required_digest(self) -> str | None:
        """The shown digest, for a key that needs one; if there is none, a message is shown."""
        if self.subject is None:
            status_of(self).say(self.no_digest, topic=UNTIL_ANOTHER_ROW)
        return self.subject

    def name_of(self, digest: str) -> str:
        """The name of the fixture that is written for a row: the shown one, if that is its row."""
        is_shown = digest == self.subject and self.fixture_name is not None
        return (
            self.fixture_name if is_shown and self.fixture_name else open_name(self.session, digest)
        )

    def answered(self) -> list[Payload]:
        """The requests that the shown draft answers."""
        if self.subject is None:
            return []
        name_for, subject = self.session.drafting.name_for, self.subject
        return [p for p in self.request.payloads if name_for(subject, p) == self.fixture_name]

    # Editing

    @property
    def draft(self) -> Draft | None:
        name = self.fixture_name
        return None if name is None else self.session.drafting.open(name)

    @property
    def payload(self) -> Payload | None:
        return self.request.payload

    def required_draft(self) -> Draft | None:
        digest = self.required_digest()
        return None if digest is None else self.session.drafting.open(self.name_of(digest))

    def check(self, draft: Draft) -> Callable[[], Assessment]:
        payload = self.payload
        is_for_one = payload is not None and self.replaces_another(draft, payload)
        return partial(
            assess,
            draft.text,
            draft.name,
            [payload] if payload is not None and is_for_one else self.answered(),
            shown=payload,
            revision=draft.revision,
            is_for_these=is_for_one,
            profile=self.preview.profile,
            serving=self.session.server.serving,
            at=draft.shown_response,
        )

    def replaces_another(self, draft: Draft, request: Payload) -> bool:
        """True if saving the shown draft would replace another request's answer."""
        has_others = len(self.request.payloads) > 1
        return has_others and self.session.drafting.replaces_another(draft, request)

    def show_assessment(self, name: str, assessment: Assessment) -> None:
        draft = self.session.drafts.get(name)
        if draft is None or draft.revision != assessment.revision:
            return
        shown = assessment.preview
        if (shown.profile, shown.at) != (self.preview.profile, draft.shown_response):
            return  # another one, of what was chosen since, is on its way
        self.session.drafting.assessments[name] = assessment
        if name == self.fixture_name:
            self.answer.show_assessment(assessment)
            self.show_status_sent()
            self.preview.show(assessment.preview, name)
            self._post_changed()
        else:
            post_up(self, self.Changed(digest_of(name)))

    @on(RequestPane.VariantChanged)
    async def _show_another_answer(self, event: Message) -> None:
        """Show the answer to another request of the digest, if it has one of its own."""
        event.stop()
        self.write_back()
        await self.show_draft()
        self.assess_now()

    def show_status_sent(self) -> None:
        """Show beside a chosen error how a client that already has status 200 receives it."""
        delivery = self.answer.fields.details.delivery
        delivery.show_sent(status_sent(self.session, self.subject))

    async def change(self, edit: Callable[[Draft], object], name: str | None = None) -> bool:
        """Change the draft of another fixture, or the shown one."""
        if name in (None, self.fixture_name):
            return await super().change(edit)
        draft = self.session.drafting.open(name or "")
        if not self.made(edit, draft):
            return False
        self.keep_soon()
        post_up(self, self.Changed(digest_of(draft.name)))
        draft.history.changed(draft.state())
        return True

    # Keeping

    def keep_soon(self) -> None:
        """Write the drafts shortly after the first change, even while typing goes on: a crash
        loses a moment of it at most.
        """
        if self._keep_timer is None:
            self._keep_timer = self.set_timer(KEEP_AFTER, self._keep)

    @work(group="keep", exit_on_error=False, description="keeping drafts")
    async def _keep(self) -> None:
        self._keep_timer = None
        self.answer.write_back()
        drafts = self.session.drafts
        was_failing = drafts.is_failing
        try:
            await asyncio.to_thread(drafts.store_changed)
        except OSError as error:
            self.answer.show_kept(ONLY_IN_MEMORY)
            if not was_failing:  # shown once; the frame shows it as long as it is true
                self.say(self._only_in_memory(error), "error")
            return
        if was_failing:
            self.say("The draft is kept again.")
        draft = drafts.get(self.fixture_name) if self.fixture_name else None
        if draft is not None and draft.kept_revision == draft.revision:
            self.answer.show_kept(f"draft kept {datetime.now():%H:%M:%S}")

    def keep_now(self, trouble: str) -> str:
        """Write the drafts, of which the shown one could not be saved; returns ``trouble``, and
        where that draft is.
        """
        try:
            self.answer.write_back()
            self.session.drafts.store_changed()
        except OSError as error:
            self.answer.show_kept(ONLY_IN_MEMORY)  # shown here, and not again
            return f"{trouble} {self._only_in_memory(error)}"
        if self.fixture_name is None or not self.session.drafting.is_written(self.fixture_name):
            return trouble
        return f"{trouble} Your draft is kept in {shown(self.session.state_folder.drafts)}."

    def _only_in_memory(self, error: OSError) -> str:
        folder = self.session.state_folder.path
        return f"The draft is only in memory: {cannot_write(folder, error)}."

    # Keys

    def verify(self) -> None:
        """Compare the preview with what the server sends now."""
        digest = self.required_digest()
        if digest is None:
            return
        name = self.name_of(digest)
        broken = self.session.miss_fixtures.unusable(name)
        if broken is not None:
            why = f"the file is broken: {broken}, {broken.place}"
            self.say(f"The server cannot answer with it, because {why}.", "error")
            return
        self.panes.show("preview")
        self.write_back()
        self.preview.verify(name, self.request.payload)

    def play(self) -> None:
        if self.required_digest() is not None:
            self.panes.show("preview")
            self.preview.action_play()

    async def export(self) -> None:
        """Ask for a format and write the shown request in it, or its conversation."""
        digest, payload = self.subject, self.request.payload
        if digest is None or payload is None:
            self.say("Its request is not known, so there is nothing to export.")
            return
        session, kind = self.session, await self.app.push_screen_wait(ExportPicker(digest))
        try:
            if kind is not None:
                self.say(export(session, digest, payload, kind))
        except OSError as error:
            self.say(f"Cannot write the export: {error.strerror}.", "error")

    def _post_changed(self) -> None:
        post_up(self, self.Changed(self.subject))
