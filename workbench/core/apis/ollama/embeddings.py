"""Embeddings as Ollama sends them: several at ``/api/embed``, one at ``/api/embeddings``."""

from __future__ import annotations

import json
from typing import Final

from workbench.core.apis import embeddings
from workbench.core.apis.embeddings import Embeddings, Layout
from workbench.core.apis.replies import EmbeddingsReply
from workbench.core.replies.profile_names import ProfileName
from workbench.core.requests.view import Payload


def reply(payload: Payload, path: str, profile: ProfileName) -> EmbeddingsReply:
    """The reply to a request to ``path``. Raises RequestError."""
    if path.endswith("/embeddings"):
        return embeddings.reply({**payload, "input": payload.get("prompt")}, path, profile, _ONE)
    return embeddings.reply(payload, path, profile, _SEVERAL)


def _item(vector: bytes, index: int) -> bytes:  # noqa: ARG001
    return vector


def _end(reply: Embeddings) -> bytes:
    rest = {
        "model": reply.model,
        "total_duration": 1_000_000,
        "load_duration": 0,
        "prompt_eval_count": reply.tokens,
    }
    return b"]," + json.dumps(rest, separators=(",", ":")).encode("ascii")[1:]


def _end_of_one(reply: Embeddings) -> bytes:  # noqa: ARG001
    return b"}"


_SEVERAL: Final = Layout(b'{"embeddings":[', _item, _end)
_ONE: Final = Layout(b'{"embedding":', _item, _end_of_one)
