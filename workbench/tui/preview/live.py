"""A live verification in the preview: what is verified, how far it is, and what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from textual.content import Content

from workbench.core.replies.http_reply import ProfileName
from workbench.io.http_client import NoServerError
from workbench.session.live_check import Claim, Verification
from workbench.session.session import Session
from workbench.session.verify import verify
from workbench.tui.preview.verify_lines import (
    verification_lines,
    verification_text,
    verifying_lines,
)


class CannotVerifyError(Exception):
    """Nothing can be verified; the text says why."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a verification ended, as a sentence for the status line."""

    sentence: str
    severity: Literal["information", "warning", "error"]


class LiveVerification:
    """Compares what the server sends now with what a draft says.

    Attributes:
        claim: what is or was verified; None before.
        found: the result; None before there is one.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.claim: Claim | None = None
        self.found: Verification | None = None
        self._frames = 0

    @property
    def is_running(self) -> bool:
        return self.claim is not None and self.found is None

    def start(self, digest: str, payload: Mapping[str, Any] | None, profile: ProfileName) -> Claim:
        """What is to be verified: the draft of a digest, by sending ``payload``.

        Raises:
            CannotVerifyError: the server or the request is not known.
        """
        url = self._session.server_url
        if url is None:
            raise CannotVerifyError("No server given. --server URL names one.")
        if payload is None:
            raise CannotVerifyError("The request is not known, so it cannot be sent again.")
        draft = self._session.draft(digest)
        stamp = self._session.store.stamp(digest)
        self.claim = Claim(url, digest, payload, draft.text, stamp, draft.touched, profile)
        self.found, self._frames = None, 0
        return self.claim

    async def run(self, claim: Claim, progress: Callable[[], None]) -> Ended | None:
        """Ask the server and compare. Returns None if another verification was started meanwhile.

        Args:
            progress: called as frames arrive.
        """

        def count(frames: int) -> None:
            if claim is self.claim:
                self._frames = frames
                progress()

        try:
            found = await verify(claim, on_frames=count)
        except NoServerError as error:
            sentence = f"No server at {error.where}. v and hold need it; saving works."
        except Exception as error:  # reported here, since nobody awaits this
            sentence = f"Not verified: {type(error).__name__}: {error}."
        else:
            if claim is not self.claim:
                return None
            self.found = found
            self._session.files.take_verification(found)
            return Ended(found.sentence, "information" if found.holds else "warning")
        if claim is not self.claim:
            return None
        self.claim = None
        return Ended(sentence, "error")

    def is_of(self, digest: str | None, profile: ProfileName) -> bool:
        """Whether it verifies what the draft of a digest says now, in a profile."""
        claim = self.claim
        if claim is None or claim.digest != digest:
            return False
        return (claim.text, claim.profile) == (self._session.draft(digest).text, profile)

    def forget(self) -> None:
        self.claim = self.found = None

    def lines(self, expected_frames: int, width: int, *, as_bytes: bool) -> list[Content]:
        """The result, or the progress towards it, laid out for ``width``."""
        if self.found is not None:
            return verification_lines(self.found, width, as_bytes=as_bytes)
        if self.claim is not None:
            return verifying_lines(self.claim, self._frames, expected_frames)
        return []

    def copied(self) -> str:
        return verification_text(self.found) if self.found is not None else ""
