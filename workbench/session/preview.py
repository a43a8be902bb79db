"""What the server would send for a draft, and whether it holds together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core import proof, reply, rules, wire
from workbench.core.findings import Finding
from workbench.core.fixtures import FixtureDocument, FixtureError
from workbench.core.proof import Proof
from workbench.core.wire import Frame, ProfileName


@dataclass(frozen=True, slots=True)
class Preview:
    """Both shapes of one reply.

    Attributes:
        value: the envelope, parsed.
        unusable: why the server could not use the document and would send the fallback, if so; the
            rest is then that of the fallback.
        proof: the comparison of the two shapes.
        chunk_delay_ms: the wait before each paced frame that the document asks for, if it does.
    """

    envelope: bytes
    value: Mapping[str, Any]
    frames: list[Frame]
    proof: Proof
    unusable: str | None = None
    chunk_delay_ms: int | None = None

    @property
    def stream(self) -> bytes:
        return b"".join(frame.data for frame in self.frames)


@dataclass(frozen=True, slots=True)
class Assessment:
    """Everything that follows from a draft's text: findings and preview.

    Attributes:
        revision: of the draft it was made from.
    """

    revision: int
    findings: list[Finding]
    preview: Preview

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.blocks]


def preview(
    document: FixtureDocument,
    digest: str,
    payload: Mapping[str, Any],
    *,
    created: int = 0,
    profile: ProfileName = "stub",
) -> Preview:
    """What the server sends when ``document`` is the fixture of ``digest``."""

    def lookup(_: str) -> Mapping[str, Any]:
        return document.value

    answer = reply.answer(payload, digest, lookup)
    written = wire.PROFILES[profile]
    envelope = written.envelope(answer, created)
    frames = written.frames(answer, created)
    return Preview(
        envelope,
        json.loads(envelope),
        frames,
        proof.prove(b"".join(f.data for f in frames), envelope),
        str(answer.broken) if answer.broken else None,
        _chunk_delay(document) if answer.source == "fixture" else None,
    )


def _chunk_delay(document: FixtureDocument) -> int | None:
    delay = document.response.get("chunk_delay_ms")
    return delay if type(delay) is int and delay >= 0 else None


def assess(
    text: str,
    digest: str,
    payloads: Sequence[Mapping[str, Any]],
    *,
    revision: int = 0,
    variant: int = 0,
    profile: ProfileName = "stub",
) -> Assessment:
    """Check a draft against every known request of its digest and show what would be sent.

    Slow for large texts; call it in a thread.
    """
    document = FixtureDocument(text)
    context = rules.Context(filename=f"{digest}.json", requests=tuple(payloads))
    findings = rules.check(text, context)
    return Assessment(
        revision,
        findings,
        preview(document, digest, payload_of(document, payloads, variant), profile=profile),
    )


def payload_of(
    document: FixtureDocument, payloads: Sequence[Mapping[str, Any]], variant: int = 0
) -> Mapping[str, Any]:
    """The request a preview is made for: one seen in the log, else the stored one, else {}."""
    if payloads:
        return payloads[variant]
    try:
        return document.request or {}
    except FixtureError:
        return {}
