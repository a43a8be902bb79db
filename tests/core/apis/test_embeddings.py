"""Vectors and the replies that hold them; the numbers are held against the real stub server's."""

from __future__ import annotations

import base64
import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.apis.embeddings import (
    DIMENSIONS,
    MOST_DIMENSIONS,
    Embeddings,
    read,
    seed,
    vector,
)
from workbench.core.request_body import RequestError


def body_of(**fields: Any) -> dict[str, Any]:
    made = Embeddings(**{"seeds": (seed("a"), seed("b")), "tokens": 2, "model": "m", **fields})
    return json.loads(made.body())  # type: ignore[no-any-return]


def test_the_numbers_are_the_reference_server_s() -> None:
    assert vector(seed("a"))[:2] == [0.7960094574086485, 0.6500113609809315]


@given(st.text(max_size=30))
def test_a_vector_depends_on_its_text_alone(text: str) -> None:
    numbers = vector(seed(text))
    assert numbers == vector(seed(text))
    assert len(numbers) == DIMENSIONS
    assert all(-1 <= number < 1 for number in numbers)
    assert abs(numbers[0]) >= 1e-6


def test_other_text_has_another_vector() -> None:
    assert vector(seed("a")) != vector(seed("b"))


def test_half_a_character_has_no_vector() -> None:
    with pytest.raises(RequestError, match="half of a character") as caught:
        seed("\ud800")
    assert caught.value.code == "lone_surrogate"


@given(st.lists(st.integers(0, 2**32 - 1), max_size=3), st.text(max_size=5))
def test_a_body_is_written_as_the_reference_writes_it(seeds: list[int], model: str) -> None:
    data = [
        {"object": "embedding", "index": index, "embedding": vector(seed)}
        for index, seed in enumerate(seeds)
    ]
    usage = {"prompt_tokens": 5, "total_tokens": 5}
    value = {"object": "list", "data": data, "model": model, "usage": usage}
    expected = json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n"
    assert Embeddings(tuple(seeds), 5, model).body() == expected.encode("ascii")


def test_base64_is_little_endian_32_bit_floats() -> None:
    plain, packed = body_of()["data"][0], body_of(is_base64=True)["data"][0]
    numbers = struct.unpack(f"<{DIMENSIONS}f", base64.b64decode(packed["embedding"]))
    assert numbers == pytest.approx(plain["embedding"], rel=1e-6)


@pytest.mark.parametrize("dimensions", [1, 256, DIMENSIONS, 1536, MOST_DIMENSIONS])
def test_as_many_dimensions_as_are_asked_for_with_the_length_one(dimensions: int) -> None:
    plain = body_of()["data"][0]["embedding"]
    asked = body_of(dimensions=dimensions)["data"][0]["embedding"]
    assert len(asked) == dimensions
    assert math.hypot(*asked) == pytest.approx(1)
    ratio, same = asked[0] / plain[0], min(dimensions, DIMENSIONS)
    assert asked[:same] == pytest.approx([number * ratio for number in plain[:same]])


@pytest.mark.parametrize(
    ("model", "dimensions"),
    [
        ("text-embedding-3-small", 1536),
        ("text-embedding-ada-002", 1536),
        ("text-embedding-3-large", 3072),
        ("gemini-embedding-001", 3072),
        ("models/gemini-embedding-001", 3072),
        ("mistral-embed", 768),
    ],
)
def test_vectors_have_the_size_of_the_model(model: str, dimensions: int) -> None:
    asked = {"model": model, "input": "a"}
    [whole] = json.loads(read(asked, "openai").body())["data"]
    assert len(whole["embedding"]) == dimensions
    packed = json.loads(read({**asked, "encoding_format": "base64"}, "openai").body())
    assert len(base64.b64decode(packed["data"][0]["embedding"])) == 4 * dimensions
    # Shorter ones begin alike, and have the length 1.
    [short] = json.loads(read({**asked, "dimensions": 16}, "openai").body())["data"]
    assert math.hypot(*short["embedding"]) == pytest.approx(1)
    ratio = short["embedding"][0] / whole["embedding"][0]
    assert short["embedding"] == pytest.approx([n * ratio for n in whole["embedding"][:16]])
    # The reference stub knows no models.
    assert read(asked, "stub") == Embeddings((seed("a"),), 1, model)


def test_no_more_dimensions_than_the_model_has() -> None:
    asked = {"model": "text-embedding-3-small", "input": "a", "dimensions": 1537}
    with pytest.raises(RequestError, match=r"dimensions must be from 1 to 1,536"):
        read(asked, "openai")
    assert read({**asked, "model": "m"}, "openai").dimensions == 1537


def test_an_id_depends_on_the_input() -> None:
    assert "id" not in body_of()
    assert (
        body_of(has_id=True)["id"]
        == body_of(has_id=True)["id"]
        != body_of(has_id=True, seeds=(1,))["id"]
    )
