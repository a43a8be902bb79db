"""A live verification: the expected replies of the running server, and the result."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from workbench.core.digest import short
from workbench.core.replies.body_difference import BodyDifference
from workbench.core.replies.http_reply import Frame, HTTPReply
from workbench.core.replies.profile_names import DEFAULT_PROFILE, ProfileName
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.io.fixtures.store import FileStamp
from workbench.io.network.http_client import TimedReply, host_and_port

# Frames that arrived within this time were sent together.
TOGETHER_MS: Final = 2.0


class Claim(NamedTuple):
    """What is verified: that the server answers a request as the draft says. The stamp is that of
    the file at the start; None if there was no file.
    """

    server_url: str
    digest: str
    payload: Mapping[str, Any]
    text: str
    stamp: FileStamp | None = None
    touched: bool = False
    profile: ProfileName = DEFAULT_PROFILE

    @property
    def is_saved(self) -> bool:
        return self.stamp is not None and not self.touched

    @property
    def server_name(self) -> str:
        return host_and_port(self.server_url)


class CheckedReply(NamedTuple):
    """One reply of the server.

    Attributes:
        problem: why it cannot be compared, or is not of the expected kind; "" if neither.
        difference: of the bodies; of a stream, of the first frame that differs.
    """

    reply: TimedReply
    wanted: HTTPReply
    problem: str
    difference: BodyDifference | None
    first_ms: float
    all_ms: float

    @property
    def holds(self) -> bool:
        return not self.problem and self.difference is None


class CheckedFrame(NamedTuple):
    """One frame of the stream, and the expected one.

    Attributes:
        expected: None for an extra frame.
        actual: None for a missing frame.
        at_ms: when its last byte arrived.
    """

    expected: Frame | None
    actual: bytes | None
    at_ms: float
    difference: BodyDifference | None


class Verification(NamedTuple):
    """The result of a verification.

    Attributes:
        proof: the differences between the joined stream and the envelope; None if no completion
            is sent in full.
        written_as: the profile the server uses, if that is the only difference.
    """

    claim: Claim
    at: datetime
    envelope: CheckedReply
    stream: CheckedReply
    frames: tuple[CheckedFrame, ...]
    proof: tuple[str, ...] | None
    written_as: ProfileName | None = None

    @property
    def holds(self) -> bool:
        """Whether both replies are byte for byte those of the preview."""
        return self.envelope.holds and self.stream.holds

    @property
    def equal_frames(self) -> int:
        return sum(frame.difference is None for frame in self.frames)

    @property
    def is_together(self) -> bool:
        """Whether all frames arrived together."""
        times = [frame.at_ms for frame in self.frames if frame.actual is not None]
        return not times or max(times) - min(times) <= TOGETHER_MS

    @property
    def sentence(self) -> str:
        name = short(self.claim.digest)
        if self.holds:
            return f"Verified {name}: the server sends exactly this."
        if self.written_as is not None:
            return (
                f"The server writes profile {self.written_as}, this is {self.claim.profile}: "
                "o switches; the reply is the same."
            )
        for what, checked in (("envelope", self.envelope), ("stream", self.stream)):
            if checked.problem:
                return f"The {what} does not verify: {checked.problem}."
        if not self.claim.is_saved:
            return "This draft is not saved yet: the server answers without it. ^s saves it."
        if FALLBACK_TEXT.encode() in self.envelope.reply.body:
            return f"The server sent the fallback: it does not see {name}….json."
        parts = [] if self.envelope.holds else ["the envelope"]
        differ = len(self.frames) - self.equal_frames
        if differ:
            parts.append(f"{differ} of {len(self.frames)} frames")
        elif not self.stream.holds:
            parts.append("the reply in place of the stream")
        is_one = len(parts) == 1 and differ < 2
        return f"The server sends something else: {' and '.join(parts)} differ{'s' * is_one}."
