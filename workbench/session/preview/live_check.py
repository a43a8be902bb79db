"""The live check of the draft that is shown: one at a time, which can be cancelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.core.replies.profile_names import ProfileName
from workbench.io.network.http_client import NoServerError
from workbench.session.preview.verify import Claim, Verification, verify
from workbench.session.server import no_server
from workbench.session.session import Session


class LiveCheck:
    """Verifies one draft at a time.

    Attributes:
        claim: what is or was verified; None before, and after a failure.
        result: None before there is one.
        frames: how many frames of the stream have been received.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.claim: Claim | None = None
        self.result: Verification | None = None
        self.frames = 0

    @property
    def is_running(self) -> bool:
        return self.claim is not None and self.result is None

    def begin(
        self, name: str, payload: Mapping[str, Any] | None, profile: ProfileName
    ) -> Claim | str:
        """The claim to verify about the present draft of a fixture, or why it cannot be
        verified.
        """
        url = self._session.server.url
        if url is None:
            return "There is no server to ask. Name one with --server URL."
        if payload is None:
            return "The request is not known, so it cannot be sent again."
        draft, stamp = self._session.drafting.open(name), self._session.store.stamp(name)
        self.forget()
        self.claim = Claim(
            url,
            name,
            payload,
            draft.text,
            stamp,
            draft.touched,
            profile,
            draft.shown_response,
        )
        return self.claim

    async def run(self, claim: Claim, on_frames: Callable[[], None]) -> tuple[str, str]:
        """Verify what was begun; returns a sentence and its severity. ``on_frames`` is called when
        frames were received. Cancelling closes the connection.
        """

        def count(frames: int) -> None:
            self.frames = frames
            on_frames()

        try:
            verification = self.result = await verify(claim, on_frames=count)
        except NoServerError as error:
            self.claim = None
            return no_server(error.where), "error"
        except Exception as error:  # a worker runs this, whose failure nobody would see
            self.claim = None
            return f"Not verified: {type(error).__name__}: {error}.", "error"
        self._session.miss_fixtures.take_verification(verification)
        return verification.sentence, "information" if verification.holds else "warning"

    def is_about(self, name: str | None, profile: ProfileName) -> bool:
        """True if it is about the present draft of a fixture."""
        claim = self.claim
        if claim is None or claim.name != name:
            return False
        draft = self._session.drafting.open(name)
        now = (draft.text, profile, draft.shown_response)
        return (claim.text, claim.profile, claim.at) == now

    def forget(self) -> None:
        self.claim = self.result = None
        self.frames = 0
