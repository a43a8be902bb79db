"""Embeddings: vectors seeded by the hash of their text, equal on every run and machine."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from workbench.core.digest import RequestError

DIMENSIONS: Final = 768
# Of the largest model of the OpenAI API, which ``dimensions`` may ask for.
MOST_DIMENSIONS: Final = 3072
# Vectors whose JSON text is kept, 15 KB each: a text is often asked for again.
_KEPT: Final = 1024


def seed(text: str) -> int:
    """The number that decides the vector of ``text`` (the reference's rule).

    Raises:
        RequestError: for a lone surrogate, which has no UTF-8 form.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise RequestError(
            "lone_surrogate", "the input holds half of a character cut in two"
        ) from None
    return int(hashlib.sha256(data).hexdigest()[:16], 16) & 0xFFFFFFFF


def vector(seed: int, dimensions: int = DIMENSIONS) -> list[float]:
    """Numbers in [-1, 1), the first never close to zero (the reference's rule, for 768 of them)."""
    rng = random.Random(seed)
    numbers = [rng.uniform(-1.0, 1.0) for _ in range(dimensions)]
    if abs(numbers[0]) < 1e-6:
        numbers[0] = 0.1
    return numbers


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The reply to ``POST /v1/embeddings``, whose vectors are computed when it is written.

    Attributes:
        seeds: one for each vector.
        tokens: how many the input counts as.
        model: echoed from the request.
        dimensions: vectors have so many numbers and the length 1; None: they have 768, and go
            out as they are.
        is_base64: a vector is a base64 text of little-endian 32-bit floats instead of a list.
        has_id: whether the reply has an ``id``, made from the input.
    """

    seeds: tuple[int, ...]
    tokens: int
    model: Any
    dimensions: int | None = None
    is_base64: bool = False
    has_id: bool = False

    def parts(self) -> Iterator[bytes]:
        """The JSON body: its beginning, one part for each vector, its end."""
        yield b'{"data":['
        for index, seed in enumerate(self.seeds):
            comma = b"," if index else b""
            written = self._written(seed)
            yield b'%b{"embedding":%b,"index":%d,"object":"embedding"}' % (comma, written, index)
        yield b"]," + self._rest()

    def body(self) -> bytes:
        return b"".join(self.parts())

    def _written(self, seed: int) -> bytes:
        if self.dimensions is None and not self.is_base64:
            return _as_list(seed)
        numbers = vector(seed, self.dimensions or DIMENSIONS)
        if self.dimensions is not None:
            numbers = _scaled(numbers)
        if self.is_base64:
            return b'"%b"' % base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers))
        return _json(numbers)

    def _rest(self) -> bytes:
        """What follows the vectors, with the end of the body."""
        rest: dict[str, Any] = {
            "model": self.model,
            "object": "list",
            "usage": {"prompt_tokens": self.tokens, "total_tokens": self.tokens},
        }
        if self.has_id:
            told = hashlib.sha256(repr(self.seeds).encode("ascii")).hexdigest()
            rest = {"id": f"embd-e2e-{told[:12]}", **rest}
        return _json(rest)[1:] + b"\n"


def _scaled(numbers: list[float]) -> list[float]:
    """A vector scaled to the length 1, as the OpenAI API does for ``dimensions``."""
    length = math.hypot(*numbers)
    return [number / length for number in numbers]


@lru_cache(_KEPT)
def _as_list(seed: int) -> bytes:
    return _json(vector(seed))


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
