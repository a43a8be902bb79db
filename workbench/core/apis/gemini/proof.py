"""The proof of a preview: the chunks of a stream put together again are the plain reply."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.gemini.assembled import assembled, chunks
from workbench.core.replies.proof import Proof

_JSON: Final = "application/json"


def prove(stream: bytes, envelope: bytes) -> Proof:
    """Put ``stream`` together and compare it with ``envelope`` (both as they are sent)."""
    kind = _JSON if stream.startswith(b"[") else "text/event-stream"
    found = list(chunks(kind, stream))
    streamed, (whole,) = assembled(found), list(chunks(_JSON, envelope))
    plain = assembled([whole])
    proof = Proof(
        content=streamed.content,
        tool_calls=streamed.calls,
        finish_reason=streamed.finish_reason,
        pieces=streamed.pieces,
    )
    for what, one, other in (
        ("content", streamed.content, plain.content),
        ("thoughts", streamed.thoughts, plain.thoughts),
        ("function calls", streamed.calls, plain.calls),
        ("finishReason", streamed.finish_reason, plain.finish_reason),
        ("finishMessage", streamed.finish_message, plain.finish_message),
        ("usageMetadata", streamed.usage, plain.usage),
    ):
        if one != other:
            proof.differences.append(f"{what}: they differ")
    if {chunk.get("responseId") for chunk in found} != {whole.get("responseId")}:
        proof.differences.append("responseId is not equal in every chunk")
    return proof
