"""Embeddings: vectors seeded by the hash of their text, equal on every run and machine."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from workbench.core.requests import Payload, estimate_tokens

DIMENSIONS = 768


def vector(text: str) -> list[float]:
    """768 numbers in [-1, 1) for ``text``, the first never close to zero (the reference's rule).

    Raises:
        UnicodeEncodeError: for a lone surrogate, which has no UTF-8 form.
    """
    seed = int(hashlib.sha256(text.encode("utf-8")).hexdigest()[:16], 16) & 0xFFFFFFFF
    rng = random.Random(seed)
    numbers = [rng.uniform(-1.0, 1.0) for _ in range(DIMENSIONS)]
    if abs(numbers[0]) < 1e-6:
        numbers[0] = 0.1
    return numbers


def inputs(payload: Payload) -> list[str]:
    """The texts to embed. What is no string counts as its Python text (the reference), so a list
    of token numbers is that many embeddings.
    """
    given = payload.get("input", "")
    items = given if isinstance(given, list) else [given]
    return [item if isinstance(item, str) else str(item) for item in items]


def response(payload: Payload) -> dict[str, Any]:
    """The reply to ``POST /v1/embeddings``."""
    texts = inputs(payload)
    tokens = sum(map(estimate_tokens, texts))
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": i, "embedding": vector(text)}
            for i, text in enumerate(texts)
        ],
        "model": payload.get("model") or "text-embedding-3-small",
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }
