"""Embeddings: vectors seeded by the hash of their text, equal on every run and machine.

A request is read as the reference stub reads it or, in profile ``openai``, as OpenAI does.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import random
import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from workbench.core.apis.chat.request import with_model
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.apis.replies import EmbeddingsReply
from workbench.core.json.values import json_type
from workbench.core.request_body import RequestError
from workbench.core.requests.view import Payload, estimate_tokens

if TYPE_CHECKING:
    from workbench.core.replies.profile_names import ProfileName

DIMENSIONS: Final = 768
# The dimensions of the models that are known; any other has as many as the reference stub has.
_OF_MODELS: Final = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "gemini-embedding-001": 3072,
    "embed-v4.0": 1536,
    "embed-english-v3.0": 1024,
    "embed-english-light-v3.0": 384,
    "embed-multilingual-v3.0": 1024,
    "embed-multilingual-light-v3.0": 384,
    "embed-english-v2.0": 4096,
    "embed-english-light-v2.0": 1024,
    "embed-multilingual-v2.0": 768,
}
# The dimensions of the largest model of the OpenAI API.
MOST_DIMENSIONS: Final = 3072
# The limit of the OpenAI API for one request.
MOST_INPUTS: Final = 2048
_DEFAULT_MODEL: Final = "text-embedding-3-small"
# Vectors whose JSON text is cached, 15 KB each, because the same input is often sent again.
_KEPT: Final = 1024


def seed(text: str) -> int:
    """The number that decides the vector of ``text`` (the reference stub's rule).

    Raises:
        RequestError: for a lone surrogate, which has no UTF-8 form.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise RequestError(
            "lone_surrogate", "the input contains half of a character cut in two"
        ) from None
    return int(hashlib.sha256(data).hexdigest()[:16], 16) & 0xFFFFFFFF


def vector(seed: int, dimensions: int = DIMENSIONS) -> list[float]:
    """Numbers in [-1, 1), the first never close to zero (the rule of the reference
    stub, for 768 of them)."""
    rng = random.Random(seed)
    numbers = [rng.uniform(-1.0, 1.0) for _ in range(dimensions)]
    if abs(numbers[0]) < 1e-6:
        numbers[0] = 0.1
    return numbers


def unit_vector(seed: int, dimensions: int) -> list[float]:
    """The same numbers, scaled to length 1."""
    numbers = vector(seed, dimensions)
    length = math.hypot(*numbers)
    return [number / length for number in numbers]


def dimensions_of(model: str) -> int | None:
    """The dimensions of a model, None for one that is not known. The name of its provider may be
    before its own, as in ``models/gemini-embedding-001``.
    """
    return _OF_MODELS.get(model.rpartition("/")[2])


class Layout(NamedTuple):
    """The JSON in which an API sends embeddings.

    Attributes:
        begin: what is before the vectors.
        item: a vector as it is in the body, from its JSON and its place among them.
        end: what follows the vectors.
    """

    begin: bytes
    item: Callable[[bytes, int], bytes]
    end: Callable[[Embeddings], bytes]


class Embeddings(NamedTuple):
    """The reply to a request for embeddings, whose vectors are computed when it is written.

    Attributes:
        seeds: one for each vector.
        tokens: the token count of the input.
        model: echoed from the request.
        dimensions: the length of the vectors, which are then scaled to length 1; None: vectors of
            768 numbers that are not scaled.
        is_base64: send a vector as base64 of little-endian 32-bit floats instead of a list.
        has_id: True if the reply has an ``id``, made from the input.
        layout: None for OpenAI's.
    """

    seeds: tuple[int, ...]
    tokens: int
    model: Any
    dimensions: int | None = None
    is_base64: bool = False
    has_id: bool = False
    layout: Layout | None = None

    def parts(self) -> Iterator[bytes]:
        """The JSON body: its beginning, one part for each vector, its end."""
        layout = self.layout or _OPENAI
        yield layout.begin
        for index, seed in enumerate(self.seeds):
            comma = b"," if index else b""
            yield comma + layout.item(self._written(seed), index)
        yield layout.end(self)

    def body(self) -> bytes:
        return b"".join(self.parts())

    def _written(self, seed: int) -> bytes:
        if self.dimensions is None and not self.is_base64:
            return _as_list(seed)
        if self.dimensions is None:
            numbers = vector(seed)
        else:
            numbers = unit_vector(seed, self.dimensions)
        if self.is_base64:
            return b'"%b"' % base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers))
        return _json(numbers)


def _item(vector: bytes, index: int) -> bytes:
    return b'{"embedding":%b,"index":%d,"object":"embedding"}' % (vector, index)


def _end(reply: Embeddings) -> bytes:
    others: dict[str, Any] = {
        "model": reply.model,
        "object": "list",
        "usage": {"prompt_tokens": reply.tokens, "total_tokens": reply.tokens},
    }
    if reply.has_id:
        name = hashlib.sha256(repr(reply.seeds).encode("ascii")).hexdigest()
        others = {"id": f"embd-e2e-{name[:12]}", **others}
    return b"]," + _json(others)[1:] + b"\n"


_OPENAI: Final = Layout(b'{"data":[', _item, _end)


@lru_cache(_KEPT)
def _as_list(seed: int) -> bytes:
    return _json(vector(seed))


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


# Reading a request


def reply(
    payload: Payload, path: str, profile: ProfileName, layout: Layout | None = None
) -> EmbeddingsReply:
    """The reply to a request to ``path``. Arguments are, and it raises, as ``read``."""
    payload = with_model(payload, path)
    embeddings = read(payload, profile, layout)
    return EmbeddingsReply(embeddings.parts(), len(embeddings.seeds), ignored_options(payload))


def read(payload: Payload, profile: ProfileName, layout: Layout | None = None) -> Embeddings:
    """The reply to a request in OpenAI's format; ``layout`` is the layout of the API.

    Raises:
        RequestError: there are too many inputs, one cannot be hashed, or (profile ``openai``) the
            API refuses the request.
    """
    as_profile = _read_as_openai if profile == "openai" else _read_as_reference
    return as_profile(payload)._replace(layout=layout)


def _read_as_reference(payload: Payload) -> Embeddings:
    """As the reference stub reads a request: a value that is not a string counts as its Python
    text, so a list of N token numbers is N inputs, and other options are ignored.
    """
    value = payload.get("input", "")
    items = value if isinstance(value, list) else [value]
    hint = ""
    if items and all(map(_is_integer, items)):
        hint = "; --profile openai reads a list of token numbers as one input"
    check_count(items, hint)
    texts = [item if isinstance(item, str) else str(item) for item in items]
    tokens = sum(map(estimate_tokens, texts))
    return Embeddings(tuple(map(seed, texts)), tokens, payload.get("model") or _DEFAULT_MODEL)


def _read_as_openai(payload: Payload) -> Embeddings:
    """Read a request like the OpenAI API: an input is a string or a list of token numbers."""
    inputs = _inputs(payload.get("input"))
    model = payload.get("model")
    if model is not None and not isinstance(model, str):
        raise invalid_value("model", f"is {json_type(model)}; expected a string")
    encoding = payload.get("encoding_format")
    if encoding not in (None, "float", "base64"):
        raise invalid_value("encoding_format", 'is neither "float" nor "base64"')
    # Tokens have no text here: the text of their list is used.
    texts = [item if isinstance(item, str) else str(item) for item in inputs]
    model = model or _DEFAULT_MODEL
    of_model = dimensions_of(model)
    dimensions = read_dimensions(payload.get("dimensions"), of_model or MOST_DIMENSIONS)
    return Embeddings(
        tuple(map(seed, texts)),
        sum(estimate_tokens(item) if isinstance(item, str) else len(item) for item in inputs),
        model,
        dimensions=dimensions or of_model,
        is_base64=encoding == "base64",
        has_id=True,
    )


def ignored_options(payload: Payload) -> list[IgnoredOption]:
    """The options of a request that the reference stub ignores."""
    options: list[IgnoredOption] = []
    if payload.get("encoding_format") not in (None, "float"):
        options.append("encoding_format")
    if payload.get("dimensions") not in (None, DIMENSIONS):
        options.append("dimensions")
    value = payload.get("input")
    if isinstance(value, list) and len(value) > 1 and all(map(_is_integer, value)):
        options.append("that input is one list of tokens")
    return options


def _inputs(value: Any) -> list[str | list[int]]:
    """The inputs, one for each vector."""
    if value is None:
        raise invalid_value("input", "is missing")
    if isinstance(value, str) or (isinstance(value, list) and value and _is_integer(value[0])):
        value = [value]
    if not isinstance(value, list):
        raise invalid_value("input", f"is {json_type(value)}; expected a string or a list")
    if not value:
        raise invalid_value("input", "is an empty list; expected at least one input")
    check_count(value)
    for number, item in enumerate(value):
        where = f"input[{number}]" if len(value) > 1 else "input"
        if not isinstance(item, str | list):
            raise invalid_value(
                where, f"is {json_type(item)}; expected a string or a list of tokens"
            )
        if not item:
            raise invalid_value(where, "is empty")
        if isinstance(item, list) and not all(map(_is_integer, item)):
            raise invalid_value(where, "is a list that contains something other than tokens")
    return value


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def read_dimensions(value: Any, most: int, key: str = "dimensions") -> int | None:
    """The requested dimensions, or None. Raises RequestError."""
    if value is None:
        return None
    if not _is_integer(value):
        raise invalid_value(key, f"is {json_type(value)}; expected a whole number")
    if not 1 <= value <= most:
        raise invalid_value(key, f"must be from 1 to {most:,}")
    return int(value)


def check_count(items: list[Any], hint: str = "") -> None:
    """Raise RequestError for more inputs than a request may have: each takes its time."""
    if len(items) > MOST_INPUTS:
        raise RequestError(
            "too_many_inputs", f"input has {len(items):,} items; at most {MOST_INPUTS:,}{hint}"
        )


def invalid_value(where: str, why: str) -> RequestError:
    """The error for the value at a place of a request."""
    return RequestError("invalid_value", f"{where} {why}")
