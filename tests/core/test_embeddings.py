"""Embeddings, held against the real stub server's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference
from workbench.core import embeddings


def cut(response: dict[str, Any]) -> dict[str, Any]:
    """``response`` with each vector as the reference data has it: [first, second, last, length]."""
    data = [
        {
            **item,
            "embedding": [*item["embedding"][:2], item["embedding"][-1], len(item["embedding"])],
        }
        for item in response["data"]
    ]
    return {**response, "data": data}


@pytest.mark.parametrize("case", reference.embeddings(), ids=lambda case: str(case["input"])[:20])
def test_every_reference_response(case: dict[str, Any]) -> None:
    expected = case["response"]
    payload = {"input": case["input"], "model": expected["model"]}
    assert cut(embeddings.response(payload)) == expected


@given(st.text(max_size=30))
def test_a_vector_depends_on_its_text_alone(text: str) -> None:
    vector = embeddings.vector(text)
    assert vector == embeddings.vector(text)
    assert len(vector) == embeddings.DIMENSIONS
    assert all(-1 <= number < 1 for number in vector)
    assert abs(vector[0]) >= 1e-6


def test_other_text_has_another_vector() -> None:
    assert embeddings.vector("a") != embeddings.vector("b")


@pytest.mark.parametrize(
    ("given_input", "texts"),
    [
        ("a", ["a"]),
        (["b", "a"], ["b", "a"]),
        ([1, 2, 3], ["1", "2", "3"]),
        ([[1, 2]], ["[1, 2]"]),
        (None, ["None"]),
        ([], []),
    ],
)
def test_what_is_embedded(given_input: object, texts: list[str]) -> None:
    assert embeddings.inputs({"input": given_input}) == texts


def test_no_input_is_one_empty_text() -> None:
    assert embeddings.inputs({}) == [""]


def test_order_model_and_tokens() -> None:
    response = embeddings.response({"input": ["abcdefgh", "", "a"], "model": "m"})
    assert [item["index"] for item in response["data"]] == [0, 1, 2]
    assert response["data"][2]["embedding"] == embeddings.vector("a")
    assert response["model"] == "m"
    assert response["usage"] == {"prompt_tokens": 3, "total_tokens": 3}
