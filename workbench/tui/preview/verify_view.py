"""The view of a live verification."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from textual import on, work
from textual.message import Message
from textual.worker import Worker, WorkerState

from workbench.core.apis.chat.wire import ProfileName
from workbench.io.http_client import NoServerError
from workbench.session.live_check import Claim, Verification
from workbench.session.preview import Preview
from workbench.session.session import Session
from workbench.session.verify import verify
from workbench.tui.lines.line_layout import Line
from workbench.tui.preview.verify_lines import (
    verification_lines,
    verification_text,
    verifying_lines,
)
from workbench.tui.preview.views import PreviewView


class VerificationView(PreviewView):
    """Asks the server and shows what came.

    Attributes:
        claim: what is being verified, or was.
        found: the result.
    """

    @dataclass
    class Ended(Message):
        """It ended; the sentence says with what."""

        sentence: str
        severity: str

    @dataclass
    class _Progress(Message):
        claim: Claim
        frames: int

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, VerificationView._Progress)

    @dataclass
    class _Done(Message):
        claim: Claim
        outcome: Verification | str

    def __init__(self, session: Session, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self.claim: Claim | None = None
        self.found: Verification | None = None
        self._frames = 0

    @property
    def is_running(self) -> bool:
        return self.claim is not None and self.found is None

    def verify(
        self, digest: str, payload: Mapping[str, Any] | None, profile: ProfileName
    ) -> str | None:
        """Compare the draft of a digest with what the server sends now for ``payload``; what ran
        before is given up. Returns why that cannot be, if it cannot.
        """
        url = self._session.server_url
        if url is None:
            return "No server given. --server URL names one."
        if payload is None:
            return "The request is not known, so it cannot be sent again."
        draft = self._session.draft(digest)
        stamp = self._session.store.stamp(digest)
        claim = Claim(url, digest, payload, draft.text, stamp, draft.touched, profile)
        self.claim, self.found, self._frames = claim, None, 0
        self.redraw()
        self._verify(claim)
        return None

    def is_of(self, digest: str | None, profile: ProfileName) -> bool:
        """Whether it is, or will be, of what the draft of a digest says now, in a profile."""
        claim = self.claim
        if claim is None or claim.digest != digest:
            return False
        return (claim.text, claim.profile) == (self._session.draft(digest).text, profile)

    def forget(self) -> None:
        """Stop, and show nothing."""
        self.workers.cancel_group(self, "verify")
        self.claim = self.found = None
        self.redraw()

    def lay(self, preview: Preview, width: int) -> Iterable[Line]:
        if self.found is not None:
            return verification_lines(self.found, width, as_bytes=self.as_bytes)
        if self.claim is not None:
            return verifying_lines(self.claim, self._frames, len(preview.frames))
        return []

    def copied(self) -> str:
        return verification_text(self.found) if self.found is not None else ""

    @work(exclusive=True, group="verify", exit_on_error=False, description="verification")
    async def _verify(self, claim: Claim) -> None:
        outcome: Verification | str
        try:
            outcome = await verify(claim, on_frames=lambda count: self._report(claim, count))
        except NoServerError as error:
            outcome = f"No server at {error.where}. v and hold need it; saving works."
        self.post_message(self._Done(claim, outcome))

    def _report(self, claim: Claim, count: int) -> None:
        self.post_message(self._Progress(claim, count))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A failure that nobody foresaw is told, not waited for."""
        event.stop()
        if event.state == WorkerState.ERROR and self.claim is not None:
            what = f"{type(event.worker.error).__name__}: {event.worker.error}"
            self.post_message(self._Done(self.claim, f"Not verified: {what}."))

    @on(_Progress)
    def _show_progress(self, event: _Progress) -> None:
        event.stop()
        if event.claim is self.claim:
            self._frames = event.frames
            self.redraw()

    @on(_Done)
    def _take(self, event: _Done) -> None:
        event.stop()
        if event.claim is not self.claim:
            return
        outcome = event.outcome
        if isinstance(outcome, Verification):
            self.found = outcome
            self._session.files.take_verification(outcome)
            ended = self.Ended(outcome.sentence, "information" if outcome.holds else "warning")
        else:
            self.claim = None
            ended = self.Ended(outcome, "error")
        self.redraw()
        self.tell(ended)
