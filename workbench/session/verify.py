"""Sends a request to the running server and compares its replies with the preview."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from workbench.core.apis import writers
from workbench.core.apis.table import request_module
from workbench.core.fixtures.document import FixtureDocument
from workbench.core.replies.body_difference import first_difference
from workbench.core.replies.http_reply import RETRY_AFTER, HTTPReply
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName
from workbench.core.replies.proof import prove
from workbench.io.network.http_client import PATIENCE_SECONDS, NoServerError, TimedReply, post
from workbench.session.preview import Preview, preview
from workbench.session.verification import CheckedFrame, CheckedReply, Claim, Verification
from workbench.session.wording import no_server

if TYPE_CHECKING:
    from workbench.session.session import Session

HEADERS: Final = {"Content-Type": "application/json", "X-Workbench-Verify": "1"}

# A quote within a text is escaped, so that this is a key.
_CREATED: Final = re.compile(rb'"created(?:_at)?": ?(\d{1,18})\b')
_FRAME_END: Final = re.compile(rb"\r?\n\r?\n")
# At least this many blocks of a stream are compared.
_MIN_FRAMES: Final = 200


_Expected = Callable[[int], Preview]


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
        self, digest: str, payload: Mapping[str, Any] | None, profile: ProfileName
    ) -> Claim | str:
        """What to verify: the draft of ``digest`` as it is now; or why that cannot be done."""
        url = self._session.server_url
        if url is None:
            return "No server given. --server URL names one."
        if payload is None:
            return "The request is not known, so it cannot be sent again."
        draft, stamp = self._session.drafting.open(digest), self._session.store.stamp(digest)
        self.forget()
        self.claim = Claim(url, digest, payload, draft.text, stamp, draft.touched, profile)
        return self.claim

    async def run(self, claim: Claim, on_frames: Callable[[], None]) -> tuple[str, str]:
        """Verify what was begun; returns a sentence and its severity. ``on_frames`` is called when
        frames were received. Cancelling closes the connection.
        """

        def count(frames: int) -> None:
            self.frames = frames
            on_frames()

        try:
            found = self.result = await verify(claim, on_frames=count)
        except NoServerError as error:
            self.claim = None
            return no_server(error.where), "error"
        except Exception as error:  # a worker runs this, whose failure nobody would see
            self.claim = None
            return f"Not verified: {type(error).__name__}: {error}.", "error"
        self._session.files.take_verification(found)
        return found.sentence, "information" if found.holds else "warning"

    def is_about(self, digest: str | None, profile: ProfileName) -> bool:
        """Whether it is about what the draft of a digest says now."""
        claim = self.claim
        if claim is None or claim.digest != digest:
            return False
        return (claim.text, claim.profile) == (self._session.drafting.open(digest).text, profile)

    def forget(self) -> None:
        self.claim = self.result = None
        self.frames = 0


async def verify(claim: Claim, *, on_frames: Callable[[int], None] | None = None) -> Verification:
    """Ask the server for a plain and a streamed reply, and compare them with the preview;
    ``on_frames`` is called with the number of frames received so far. Cancelling closes the
    connection. Raises NoServerError if no connection could be made.
    """
    count = 0

    def counted(data: bytes) -> None:
        nonlocal count
        count += data.count(b"\n\n")
        if on_frames is not None:
            on_frames(count)

    at = _expected(claim, claim.profile)
    delivery = (await asyncio.to_thread(at, 0)).delivery
    # For the next bytes, beyond the delays of the fixture.
    patience = PATIENCE_SECONDS + max(delivery.delay_ms, delivery.chunk_delay_ms) / 1000
    whole = await _ask(claim, patience, stream=False)
    streamed = await _ask(claim, patience, stream=True, on_data=counted)
    return await asyncio.to_thread(_verdict, claim, whole, streamed, at)


def _expected(claim: Claim, profile: ProfileName) -> _Expected:
    """The preview in a profile at any time: ``created`` comes from the server's clock."""
    document = FixtureDocument(claim.text)

    def at(created: int) -> Preview:
        return preview(document, claim.digest, claim.payload, created=created, profile=profile)

    return cache(at)


def _verdict(claim: Claim, whole: TimedReply, streamed: TimedReply, at: _Expected) -> Verification:
    """The replies compared with the preview; if they differ, also with the other profiles."""
    found = _compared(claim, whole, streamed, at)
    if found.holds:
        return found
    for profile in PROFILE_NAMES:
        other = _expected(claim, profile)
        if profile != claim.profile and _compared(claim, whole, streamed, other).holds:
            return found._replace(written_as=profile)
    return found


def _compared(claim: Claim, whole: TimedReply, streamed: TimedReply, at: _Expected) -> Verification:
    envelope = _checked(whole, at(_created(whole.body)).whole)
    frames, stream = _checked_stream(streamed, at)
    proof: tuple[str, ...] | None = ()
    if at(0).proof is None:
        proof = None
    elif not (stream.problem or envelope.problem):
        assemble = writers.of(claim.payload).assemble
        proof = prove(assemble, streamed.content_type, streamed.body, whole.body).differences
    return Verification(claim, datetime.now(), envelope, stream, frames, proof)


def route_url(server_url: str, route: str) -> str:
    """The URL of a route, which begins with a slash; that of the server may end in ``/v1``."""
    try:
        url = urlsplit(server_url)
    except ValueError:
        return server_url
    path, _, query = route.partition("?")
    base = url.path.rstrip("/").removesuffix("/v1")
    return url._replace(path=f"{base}{path}", query=query).geturl()


async def _ask(
    claim: Claim,
    patience: float,
    *,
    stream: bool,
    on_data: Callable[[bytes], None] | None = None,
) -> TimedReply:
    payload = {**claim.payload, "stream": stream}
    route, given = request_module(payload).target(payload)
    body = await asyncio.to_thread(json.dumps, given)
    url = route_url(claim.server_url, route)
    return await post(url, body.encode("ascii"), HEADERS, on_data=on_data, patience=patience)


def _created(data: bytes) -> int:
    """The time in an envelope or a frame; 0 if it has none."""
    found = _CREATED.search(data)
    return int(found[1]) if found else 0


def _checked_stream(
    reply: TimedReply, at: _Expected
) -> tuple[tuple[CheckedFrame, ...], CheckedReply]:
    wanted = at(0).streamed
    if not wanted.is_stream or _problem(reply, wanted):
        return (), _checked(reply, wanted)
    frames = tuple(_frames(reply, at))
    first = frames[0].actual if frames else None
    checked = _checked(reply, at(_created(first or b"")).streamed)
    difference = next((f.difference for f in frames if f.difference is not None), None)
    return frames, checked._replace(difference=difference)


def _checked(reply: TimedReply, wanted: HTTPReply) -> CheckedReply:
    problem = _problem(reply, wanted)
    difference = None if problem else first_difference(wanted.body, reply.body)
    times = [seconds * 1000 for _, seconds in reply.arrivals] or [0.0]
    return CheckedReply(reply, wanted, problem, difference, times[0], times[-1])


def _problem(reply: TimedReply, wanted: HTTPReply) -> str:
    """Why a reply is not of the expected kind; "" if it is."""
    if reply.problem and not (reply.is_cut and wanted.is_cut):
        return reply.problem
    if reply.status != wanted.status:
        instead = "" if wanted.status == 200 else f", not {wanted.status or 'nothing'}"
        return f"the server answers {reply.status or 'nothing'}{instead}"
    if not wanted.status:
        return ""
    if wanted.is_cut and not reply.is_cut:
        return "the server does not close the connection"
    kinds = [_media_type(text) for text in (wanted.content_type, reply.content_type)]
    if kinds[0] != kinds[1]:
        return f"the content type is {kinds[1] or 'not given'}, not {kinds[0]}"
    waits = dict(wanted.headers).get(RETRY_AFTER), reply.headers.get(RETRY_AFTER.lower())
    if waits[0] != waits[1]:
        return f"{RETRY_AFTER} is {waits[1] or 'missing'}; expected {waits[0] or 'none'}"
    return ""


def _media_type(header: str) -> str:
    return header.split(";", 1)[0].strip().lower()


def _frames(reply: TimedReply, at: _Expected) -> Iterator[CheckedFrame]:
    start = number = 0
    for end in _frame_ends(reply.body, max(len(at(0).frames), _MIN_FRAMES)):
        data = reply.body[start:end]
        frames = at(_created(data)).frames
        wanted = frames[number] if number < len(frames) else None
        difference = first_difference(wanted.data if wanted else b"", data)
        yield CheckedFrame(wanted, data, reply.arrived(end) * 1000, difference)
        start, number = end, number + 1
    for missing in at(0).frames[number:]:
        at_ms = reply.arrivals[-1][1] * 1000 if reply.arrivals else 0.0
        yield CheckedFrame(missing, None, at_ms, first_difference(missing.data, b""))


def _frame_ends(body: bytes, most: int) -> list[int]:
    """Where each block of a stream ends; everything after the first ``most`` is one block."""
    ends = [match.end() for match in islice(_FRAME_END.finditer(body), most)]
    if not body or (ends and ends[-1] == len(body)):
        return ends
    return [*ends, len(body)]
