"""The proof of a preview: the frames put together again are the envelope.

A stream is read as a client reads it, from its bytes alone, so that a mistake in writing frames is
not hidden by the same mistake in reading them.
"""

from __future__ import annotations

import json
from typing import Any

from workbench.core.apis import sse
from workbench.core.apis.chat.openai import without_index, without_indexes
from workbench.core.json.values import sequence
from workbench.core.replies.proof import Proof


def prove(stream: bytes, envelope: bytes) -> Proof:
    """Put ``stream`` together and compare it with ``envelope`` (both as they are sent)."""
    whole = json.loads(envelope)
    choice = whole["choices"][0]
    message = choice["message"]
    data = [event.data for event in sse.events(stream)]
    chunks = [json.loads(d) for d in data if d != "[DONE]"]
    deltas = [c["choices"][0]["delta"] for c in chunks if c["choices"]]
    reasons = [c["choices"][0]["finish_reason"] for c in chunks if c["choices"]]
    pieces = [d["content"] for d in deltas if isinstance(d.get("content"), str)]
    finish = next((r for r in reversed(reasons) if r is not None), None)
    proof = Proof(
        content="".join(pieces),
        tool_calls=_merge_calls(deltas),
        finish_reason=finish,
        pieces=[p for p in pieces[1:] if p or len(pieces) == 2],
        facts=("id equal in every frame", "the stream ends with [DONE]"),
    )
    expected_calls = message.get("tool_calls") or []
    if proof.content != ("" if message["content"] is None else message["content"]):
        proof.differences.append(
            "content is lost when this is streamed: only the calls arrive"
            if expected_calls and not proof.content
            else "content differs"
        )
    for key in ("refusal", "reasoning_content"):
        streamed = "".join(d[key] for d in deltas if isinstance(d.get(key), str))
        if streamed != (message.get(key) or ""):
            proof.differences.append(f"{key} differs")
    if proof.tool_calls != without_indexes(expected_calls):
        proof.differences.append("tool calls differ: a client merges the frames into other calls")
    if finish != choice["finish_reason"]:
        proof.differences.append("finish_reason differs")
    counts = [c["usage"] for c in chunks if c.get("usage") is not None]
    if counts and counts != [whole["usage"]]:
        proof.differences.append("usage differs")
    if {c["id"] for c in chunks} != {whole["id"]}:
        proof.differences.append("id is not equal in every frame")
    if data[-1:] != ["[DONE]"]:
        proof.differences.append("the stream has no [DONE]")
    return proof


def _merge_calls(deltas: list[dict[str, Any]]) -> list[Any]:
    """Calls as a client merges them: by index, arguments appended; without one, each is new."""
    merged: list[Any] = []
    by_index: dict[int, dict[str, Any]] = {}
    for delta in deltas:
        for call in sequence(delta.get("tool_calls")):
            index = call.get("index") if isinstance(call, dict) else None
            known = by_index.get(index) if isinstance(index, int) else None
            if known is not None:
                known["function"] = _with_more(known["function"], call.get("function"))
                continue
            merged.append(without_index(call))
            if isinstance(index, int) and isinstance(call.get("function"), dict):
                by_index[index] = merged[-1]
    return merged


def _with_more(function: dict[str, Any], delta: Any) -> dict[str, Any]:
    """``function`` with the arguments of a further delta appended, where both are text."""
    own = function.get("arguments")
    more = delta.get("arguments") if isinstance(delta, dict) else None
    if not isinstance(own, str) or not isinstance(more, str):
        return function
    return {**function, "arguments": own + more}
