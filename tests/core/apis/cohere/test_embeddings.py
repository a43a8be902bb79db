"""Embeddings as Cohere's API sends them."""

from __future__ import annotations

import base64
import json
import math
import struct
from typing import Any

import pytest

from workbench.core.apis.cohere.embeddings import MOST_INPUTS, TYPES, reply
from workbench.core.request_body import RequestError


def body(path: str = "/v2/embed", **payload: Any) -> Any:
    return json.loads(b"".join(reply({"texts": ["a"], **payload}, path, "stub").parts))


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("embed-v4.0", 1536),
        ("embed-english-v3.0", 1024),
        ("embed-multilingual-light-v3.0", 384),
        ("embed-english-v2.0", 4096),
        ("one-of-ours", 1024),
    ],
)
def test_a_vector_has_the_size_of_its_model(model: str, size: int) -> None:
    (vector,) = body(model=model)["embeddings"]["float"]
    assert len(vector) == size
    assert math.isclose(math.hypot(*vector), 1)


def test_each_type_says_the_same() -> None:
    embeddings = body(
        texts=["a", "b"], model="embed-v4.0", output_dimension=256, embedding_types=list(TYPES)
    )["embeddings"]
    assert {kind: len(vectors) for kind, vectors in embeddings.items()} == dict.fromkeys(TYPES, 2)
    floats, int8, uint8, binary, ubinary, encoded = (embeddings[kind][1] for kind in TYPES)
    unpacked = struct.unpack("<256f", base64.b64decode(encoded))
    assert unpacked == pytest.approx(floats)
    assert [number + 128 for number in int8] == uint8
    assert all(-128 <= number <= 127 for number in int8)
    assert [number + 128 for number in binary] == ubinary
    bits = "".join(f"{byte:08b}" for byte in ubinary)
    assert [bit == "1" for bit in bits] == [number > 0 for number in floats]
    assert len(ubinary) == 32


def test_version_1_sends_a_list_of_floats_unless_types_are_asked_for() -> None:
    first = body("/v1/embed", model="embed-english-light-v3.0")
    assert first["response_type"] == "embeddings_floats"
    assert first["meta"] == {
        "api_version": {"version": "1"},
        "billed_units": {"input_tokens": 1},
    }
    second = body(model="embed-english-light-v3.0")
    assert second["response_type"] == "embeddings_by_type"
    assert second["meta"]["api_version"] == {"version": "2"}
    assert second["embeddings"] == {"float": first["embeddings"]}
    assert second["texts"] == first["texts"] == ["a"]
    typed = body("/v1/embed", model="embed-english-light-v3.0", embedding_types=["float"])
    assert typed["embeddings"] == second["embeddings"]


def test_a_text_has_one_vector_however_it_is_sent() -> None:
    content = [{"type": "text", "text": "a"}]
    alone = body(texts=None, inputs=[{"content": content}])
    assert alone["embeddings"] == body()["embeddings"]
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    mixed = body(texts=None, inputs=[{"content": [*content, image]}])
    assert mixed["embeddings"] != alone["embeddings"]


def test_images_are_embedded() -> None:
    sent = body(texts=None, images=["data:image/png;base64,AAAA"], model="embed-v4.0")
    assert len(sent["embeddings"]["float"]) == 1
    assert sent["meta"]["billed_units"] == {"images": 1}


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ({"texts": None}, "texts is missing"),
        ({"texts": []}, "texts is an empty list"),
        ({"texts": "a"}, "texts is a string; expected a list"),
        ({"texts": ["a", 1]}, r"texts\[1\] is a number; expected a string"),
        ({"texts": ["a"] * (MOST_INPUTS + 1)}, "texts has 97 items; at most 96"),
        ({"embedding_types": ["float16"]}, 'embedding_types has "float16"; it takes float, int8'),
        ({"model": "embed-v4.0", "output_dimension": 4096}, "output_dimension must be from 1 to"),
        ({"texts": ["\ud800"]}, "half of a character"),
    ],
)
def test_what_the_api_refuses(payload: dict[str, Any], problem: str) -> None:
    with pytest.raises(RequestError, match=problem):
        body(**payload)
