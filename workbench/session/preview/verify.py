"""Compares the replies of the running server with the preview."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from workbench.core.apis.table import api_of
from workbench.core.control_api import FIRST_HEADER, VERIFY_HEADER
from workbench.core.fixture.document import FixtureDocument
from workbench.core.fixture.names import digest_of, short_file_name, short_name
from workbench.core.json.spans import Path
from workbench.core.replies.body_difference import BodyDifference, first_difference
from workbench.core.replies.http_reply import RETRY_AFTER, HTTPReply
from workbench.core.replies.profile_names import SERVE_PROFILE, ProfileName
from workbench.core.replies.response import FALLBACK_TEXT, MISS_CODE, RESPONSE
from workbench.io.files.stamps import FileStamp
from workbench.io.network.http_client import (
    PATIENCE_SECONDS,
    TimedReply,
    host_and_port,
    post,
)
from workbench.session.preview.preview import Preview, preview

HEADERS: Final = {"Content-Type": "application/json", VERIFY_HEADER: "1"}

# The time of the server's clock. Quotes within strings are escaped, so this matches only a key.
_CREATED: Final = re.compile(rb'("created(?:_at)?": ?)\d{1,18}\b')


class Claim(NamedTuple):
    """A claim to verify: the server answers a request according to the draft. ``stamp`` is the
    state of the file at the start; None without a file. ``at`` is the path of the response.
    """

    server_url: str
    name: str
    payload: Mapping[str, Any]
    text: str
    stamp: FileStamp | None = None
    touched: bool = False
    profile: ProfileName = SERVE_PROFILE
    at: Path = RESPONSE

    @property
    def is_saved(self) -> bool:
        return self.stamp is not None and not self.touched

    @property
    def server_name(self) -> str:
        return host_and_port(self.server_url)


class VerifiedReply(NamedTuple):
    """One reply of the server.

    Attributes:
        problem: why it cannot be compared, or is not of the expected kind; "" if neither.
        difference: where the bodies begin to differ.
    """

    reply: TimedReply
    expected: HTTPReply
    problem: str
    difference: BodyDifference | None

    @property
    def holds(self) -> bool:
        return not self.problem and self.difference is None


class Verification(NamedTuple):
    """The result of a verification."""

    claim: Claim
    at: datetime
    envelope: VerifiedReply
    stream: VerifiedReply

    @property
    def holds(self) -> bool:
        """True if both replies are byte for byte equal to the preview."""
        return self.envelope.holds and self.stream.holds

    @property
    def sentence(self) -> str:
        name = short_name(self.claim.name)
        if self.holds:
            return f"Verified {name}: the server sends exactly this."
        body = self.envelope.reply.body
        is_miss = any(sign.encode() in body for sign in (FALLBACK_TEXT, MISS_CODE))
        if is_miss and self.claim.is_saved:
            file = short_file_name(self.claim.name)
            return f"This is a miss for the server: it does not see {file}."
        for what, checked in (("envelope", self.envelope), ("stream", self.stream)):
            if checked.problem and not is_miss:
                return f"The {what} cannot be verified: {checked.problem}."
        if not self.claim.is_saved:
            return "This draft is not saved yet: the server answers without it. ^s saves it."
        differing = {"the envelope": self.envelope, "the stream": self.stream}
        names = [what for what, checked in differing.items() if not checked.holds]
        verb = "differs" if len(names) == 1 else "differ"
        return f"The server sends something else: {' and '.join(names)} {verb}."


async def verify(claim: Claim, *, on_frames: Callable[[int], None] | None = None) -> Verification:
    """Ask the server for a plain and a streamed reply, and compare them with the preview;
    ``on_frames`` is called with the number of frames received so far. Cancelling closes the
    connection. Raises NoServerError if no connection could be made.
    """
    expected = await asyncio.to_thread(_expected, claim)
    kind, body = expected.streamed.content_type, expected.streamed.body
    framing = api_of(claim.payload).replies.framing_of(kind, body)
    count = 0

    def counted(data: bytes) -> None:
        nonlocal count
        if framing is not None and on_frames is not None:
            count += sum(1 for _ in framing.frames(data))
            on_frames(count)

    delivery = expected.delivery
    # For the next bytes, beyond the delays of the fixture.
    patience = PATIENCE_SECONDS + max(delivery.delay_ms, delivery.chunk_delay_ms) / 1000
    whole = await _ask(claim, patience, stream=False)
    streamed = await _ask(claim, patience, stream=True, on_data=counted)
    envelope = await asyncio.to_thread(_checked, whole, expected.whole)
    stream = await asyncio.to_thread(_checked, streamed, expected.streamed)
    return Verification(claim, datetime.now(), envelope, stream)


def _expected(claim: Claim) -> Preview:
    document = FixtureDocument(claim.text)
    name, at = digest_of(claim.name), claim.at
    return preview(document, name, claim.payload, profile=claim.profile, at=at)


def route_url(server_url: str, route: str) -> str:
    """The URL of a route, which begins with a slash; the server's URL may end in ``/v1``."""
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
    route, content = api_of(payload).request.target(payload)
    body = await asyncio.to_thread(json.dumps, content)
    url = route_url(claim.server_url, route)
    headers = HEADERS if claim.at == RESPONSE else {**HEADERS, FIRST_HEADER: str(claim.at[-1])}
    return await post(url, body.encode("ascii"), headers, on_data=on_data, patience=patience)


def _checked(reply: TimedReply, expected: HTTPReply) -> VerifiedReply:
    problem = _problem(reply, expected)
    bodies = (_CREATED.sub(rb"\g<1>0", body) for body in (expected.body, reply.body))
    difference = None if problem else first_difference(*bodies)
    return VerifiedReply(reply, expected, problem, difference)


def _problem(reply: TimedReply, expected: HTTPReply) -> str:
    """Why a reply is not of the expected kind; "" if it is."""
    if reply.problem and not (reply.is_cut and expected.is_cut):
        return reply.problem
    if reply.status != expected.status:
        instead = "" if expected.status == 200 else f", not {expected.status or 'nothing'}"
        return f"the server answers {reply.status or 'nothing'}{instead}"
    if not expected.status:
        return ""
    if expected.is_cut and not reply.is_cut:
        return "the server does not close the connection"
    kinds = [_media_type(text) for text in (expected.content_type, reply.content_type)]
    if kinds[0] != kinds[1]:
        return f"the content type is {kinds[1] or 'not given'}, not {kinds[0]}"
    waits = dict(expected.headers).get(RETRY_AFTER), reply.headers.get(RETRY_AFTER.lower())
    if waits[0] != waits[1]:
        return f"{RETRY_AFTER} is {waits[1] or 'missing'}; expected {waits[0] or 'none'}"
    return ""


def _media_type(header: str) -> str:
    return header.split(";", 1)[0].strip().lower()
