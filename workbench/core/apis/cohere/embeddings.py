"""Embeddings in the format of Cohere's API: a list of vectors for each requested type."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from workbench.core.apis.embeddings import (
    dimensions_of,
    invalid_value,
    read_dimensions,
    seed,
    unit_vector,
    vector,
)
from workbench.core.apis.replies import EmbeddingsReply
from workbench.core.json.values import compact, compact_bytes, json_type, mapping, mappings, string
from workbench.core.request_body import RequestError
from workbench.core.requests.view import Payload, estimate_tokens

if TYPE_CHECKING:
    from workbench.core.replies.profile_names import ProfileName

TYPES: Final = ("float", "int8", "uint8", "binary", "ubinary", "base64")
# The limit of the API for one request.
MOST_INPUTS: Final = 96
# The dimensions of a model that is not known, and the model of a request that names none.
_OTHER: Final = 1024
_DEFAULT_MODEL: Final = "embed-english-v2.0"


def reply(payload: Payload, path: str, profile: ProfileName) -> EmbeddingsReply:  # noqa: ARG001
    """The reply to a request, in any profile. If the request has no types, version 1 sends only
    floats.

    Raises:
        RequestError: the request has no valid input, or the API refuses it.
    """
    is_first_version = path.endswith("/v1/embed")
    inputs = _inputs(payload)
    of_model = dimensions_of(string(payload.get("model")) or _DEFAULT_MODEL) or _OTHER
    dimensions = read_dimensions(payload.get("output_dimension"), of_model, "output_dimension")
    types = _types(payload.get("embedding_types"))
    seeds = [seed(text) for text in inputs]
    name = hashlib.sha256(repr(seeds).encode("ascii")).hexdigest()
    is_by_type = bool(types) or not is_first_version
    images = payload.get("images")
    tokens = sum(map(estimate_tokens, inputs))
    billed = {"images": len(inputs)} if images else {"input_tokens": tokens}
    rest = {
        "id": str(UUID(hex=name[:32])),
        "texts": payload.get("texts") or [],
        "meta": {
            "api_version": {"version": "1" if is_first_version else "2"},
            "billed_units": billed,
        },
        "response_type": "embeddings_by_type" if is_by_type else "embeddings_floats",
    }
    lists = types or ["float"]
    parts = _parts(seeds, dimensions or of_model, lists, rest, is_by_type=is_by_type)
    return EmbeddingsReply(parts, len(lists) * len(seeds))


def _inputs(payload: Payload) -> list[str]:
    """A text for each vector: of an image its URL."""
    key = next((key for key in ("inputs", "images", "texts") if payload.get(key)), "texts")
    items = payload.get(key)
    if not isinstance(items, list) or not items:
        why = "is missing" if items is None else f"is {json_type(items)}; expected a list"
        raise invalid_value(key, why if items != [] else "is an empty list")
    if len(items) > MOST_INPUTS:
        raise RequestError(
            "too_many_inputs", f"{key} has {len(items):,} items; at most {MOST_INPUTS}"
        )
    if key == "inputs":
        return list(map(_mixed, items))
    for number, item in enumerate(items):
        if not isinstance(item, str):
            raise invalid_value(f"{key}[{number}]", f"is {json_type(item)}; expected a string")
    return items


def _mixed(item: object) -> str:
    """The text of an input that may mix text and images; a single text is the same input as in
    ``texts``.
    """
    content = mapping(item).get("content")
    match mappings(content):
        case [{"type": "text", "text": str(text)}]:
            return text
    return compact(content)


def _types(value: object) -> list[str]:
    types = value if isinstance(value, list) else [] if value is None else [value]
    if other := [kind for kind in types if kind not in TYPES]:
        raise invalid_value(
            "embedding_types", f"has {compact(other[0])}; it takes {', '.join(TYPES)}"
        )
    return list(dict.fromkeys(types))


def _parts(
    seeds: list[int], dimensions: int, types: list[str], rest: dict[str, Any], *, is_by_type: bool
) -> Iterator[bytes]:
    """The JSON body, each vector in a part of its own."""
    yield b'{"embeddings":' + (b"{" if is_by_type else b"")
    for number, kind in enumerate(types):
        comma = b"," if number else b""
        yield comma + (b'"%b":[' % kind.encode("ascii") if is_by_type else b"[")
        for index, of_text in enumerate(seeds):
            yield (b"," if index else b"") + _written(kind, of_text, dimensions)
        yield b"]"
    yield (b"}," if is_by_type else b",") + compact_bytes(rest)[1:]


def _written(kind: str, of_text: int, dimensions: int) -> bytes:
    """A vector of a type as JSON."""
    return json.dumps(_vector(kind, of_text, dimensions), separators=(",", ":")).encode("ascii")


def _vector(kind: str, of_text: int, dimensions: int) -> list[float] | list[int] | str:
    match kind:
        case "float":
            return unit_vector(of_text, dimensions)
        case "base64":
            floats = struct.pack(f"<{dimensions}f", *unit_vector(of_text, dimensions))
            return base64.b64encode(floats).decode("ascii")
        case "int8" | "uint8":
            offset = 128 if kind == "uint8" else 0
            return [round(127 * number) + offset for number in vector(of_text, dimensions)]
    # A bit for each number, the first of each byte the highest.
    bits = "".join("1" if number > 0 else "0" for number in vector(of_text, dimensions))
    offset = 0 if kind == "ubinary" else -128
    return [int(bits[at : at + 8].ljust(8, "0"), 2) + offset for at in range(0, len(bits), 8)]
