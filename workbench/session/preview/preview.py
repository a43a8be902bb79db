"""Preview the server's reply for a draft, and compare stream and envelope."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from workbench.core.answering.unanswered import unusable
from workbench.core.apis.table import api_of, view
from workbench.core.fixture import rules
from workbench.core.fixture.document import FixtureDocument
from workbench.core.fixture.findings import Finding
from workbench.core.fixture.names import digest_of, file_name
from workbench.core.json.spans import Path
from workbench.core.replies.answer import find_answer
from workbench.core.replies.http_reply import Frame, HTTPReply
from workbench.core.replies.profile_names import SERVE_PROFILE, ProfileName
from workbench.core.replies.proof import Proof, prove
from workbench.core.replies.response import (
    RESPONSE,
    Delivery,
    FixtureError,
    NeutralReply,
    fixture_replies,
    miss_error,
)
from workbench.core.replies.serving import DEFAULT, Serving
from workbench.core.requests.view import Payload


class Preview(NamedTuple):
    """The replies for one answer: plain and streamed.

    Attributes:
        whole: the reply to a plain request.
        streamed: the reply to a request for a stream.
        value: the body of ``whole``, parsed; {} if it is cut off.
        tokens: the token counts of prompt and completion in the reply.
        proof: the comparison of the two; None if no completion is sent in full.
        unusable: why the server would treat the request as a miss despite the document, or None. If
            set, the other values show the reply to a miss.
        to_fill: the part to fill in before anything of the document can be sent; "" for nothing.
        at: the path of the response in the document.
    """

    whole: HTTPReply
    streamed: HTTPReply
    value: Mapping[str, Any]
    tokens: tuple[int, int]
    proof: Proof | None
    unusable: str | None
    delivery: Delivery
    profile: ProfileName
    payload: Mapping[str, Any]
    to_fill: str = ""
    at: Path = RESPONSE

    @property
    def envelope(self) -> bytes:
        return self.whole.body

    @property
    def frames(self) -> Sequence[Frame]:
        """The events of the stream; none if an error is sent instead."""
        return self.streamed.frames if self.streamed.is_stream else ()

    @property
    def stream(self) -> bytes:
        return self.streamed.body

    def as_text(self, part: bytes) -> str:
        """A part of the stream, or of another body, as text."""
        framing = api_of(self.payload).replies.framing_of(self.streamed.content_type, part)
        return framing.shown(part) if framing else part.decode("utf-8", "backslashreplace")

    @property
    def is_empty(self) -> bool:
        """True if the reply has neither text nor calls."""
        keys = ("content", "tool_calls", "refusal")
        return (
            self.proof is not None
            and self.proof.holds
            and not any(self.proof.received.get(key) for key in keys)
        )


class Assessment(NamedTuple):
    """Findings and preview of a draft."""

    revision: int
    findings: list[Finding]
    preview: Preview

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.blocks]

    @property
    def faults(self) -> int:
        """How many errors are more than something that is still to be filled in."""
        return sum(finding.is_fault for finding in self.findings)


def preview(
    document: FixtureDocument,
    digest: str,
    payload: Mapping[str, Any],
    *,
    created: int = 0,
    profile: ProfileName = SERVE_PROFILE,
    misses_fail: bool = False,
    at: Path = RESPONSE,
) -> Preview:
    """The server's reply if ``document`` is the fixture of ``digest``.

    Args:
        misses_fail: as ``Serving``.
        at: the path of the response that is sent.
    """

    def lookup(_: str) -> Mapping[str, Any]:
        return document.value

    def read(fixture: Mapping[str, Any]) -> NeutralReply:
        return fixture_replies(fixture)[document.response_paths.index(at)]

    request, replies = view(payload), api_of(payload).replies
    writer = replies.writer(profile, request)
    answer = find_answer(request, digest, lookup, read)
    if misses_fail and answer.broken:
        delivery = Delivery(miss_error(unusable(answer)))
        answer = answer._replace(reply=answer.reply._replace(delivery=delivery))
    whole, streamed = (writer.reply(answer, created, stream=stream) for stream in (False, True))
    ends = streamed.is_stream and not streamed.is_cut
    return Preview(
        whole,
        streamed,
        {} if whole.is_cut else json.loads(whole.body),
        writer.counts(answer),
        prove(replies.assemble, streamed.content_type, streamed.body, whole.body) if ends else None,
        str(answer.broken) if answer.broken else None,
        answer.reply.delivery,
        profile,
        payload,
        at=at,
    )


def assess(
    text: str,
    name: str,
    requests: Sequence[Payload],
    *,
    shown: Payload | None = None,
    revision: int = 0,
    is_for_these: bool = False,
    profile: ProfileName = SERVE_PROFILE,
    serving: Serving = DEFAULT,
    at: Path = RESPONSE,
) -> Assessment:
    """Check a draft against every known request that it answers, and preview the reply.

    Slow for large texts; call it in a thread.

    Args:
        name: name of the fixture.
        shown: the request of the preview; None for the first of ``requests``, else the stored one.
        is_for_these: as ``Context``.
        serving: how the server answers, for the rules.
        at: the path of the response in the preview.
    """
    document = FixtureDocument(text)
    context = rules.Context(file_name(name), tuple(requests), is_for_these, serving)
    if shown is None:
        shown = payload_of(document, requests)
    findings = rules.check(text, context)
    to_fill = "; ".join(finding.message for finding in findings if finding.to_fill)
    sent = preview(
        document, digest_of(name), shown, profile=profile, misses_fail=serving.misses_fail, at=at
    )
    return Assessment(revision, findings, sent._replace(to_fill=to_fill))


def payload_of(document: FixtureDocument, requests: Sequence[Payload]) -> Payload:
    """The request of a preview: one from the log, else the stored one, else {}."""
    if requests:
        return requests[0]
    try:
        return document.request or {}
    except FixtureError:
        return {}
