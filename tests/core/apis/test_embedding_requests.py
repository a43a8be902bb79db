"""What requests for embeddings ask for, in both readings."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference, strategies
from tests.cases import each_case
from workbench.core.apis.embeddings import (
    MOST_INPUTS,
    ignored_options,
    read,
    seed,
)
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName
from workbench.core.request_body import RequestError


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


# As the reference stub reads them


@each_case("case", reference.embeddings())
def test_every_reference_response(case: dict[str, Any]) -> None:
    expected = case["response"]
    payload = {"input": case["input"], "model": expected["model"]}
    assert cut(json.loads(read(payload, "stub").body())) == expected


@pytest.mark.parametrize(
    ("payload", "texts"),
    [
        ({"input": "a"}, ["a"]),
        ({"input": ["b", "a"]}, ["b", "a"]),
        ({"input": [1, 2, 3]}, ["1", "2", "3"]),
        ({"input": [[1, 2]]}, ["[1, 2]"]),
        ({"input": None}, ["None"]),
        ({"input": []}, []),
        ({}, [""]),
    ],
)
def test_what_the_reference_embeds(payload: dict[str, Any], texts: list[str]) -> None:
    assert read(payload, "stub").seeds == tuple(map(seed, texts))


def test_model_and_tokens() -> None:
    found = read({"input": ["abcdefgh", "", "a"], "model": "m"}, "stub")
    assert (found.model, found.tokens) == ("m", 3)
    assert read({"input": "a"}, "stub").model == "text-embedding-3-small"


def test_the_reference_ignores_all_options() -> None:
    options = {"encoding_format": "base64", "dimensions": 3}
    assert read({"input": "a", **options}, "stub") == read({"input": "a"}, "stub")


@pytest.mark.parametrize(
    ("payload", "ignored"),
    [
        ({"input": "a"}, []),
        ({"input": "a", "encoding_format": "float", "dimensions": 768}, []),
        ({"input": "a", "encoding_format": None, "dimensions": None}, []),
        ({"input": "a", "encoding_format": "base64"}, ["encoding_format"]),
        ({"input": "a", "dimensions": 256}, ["dimensions"]),
        ({"input": [[1, 2], [3]]}, []),
        ({"input": [1, 2]}, ["that input is one list of tokens"]),
    ],
)
def test_what_the_reference_ignores(payload: dict[str, Any], ignored: list[str]) -> None:
    assert ignored_options(payload) == ignored


# As the OpenAI API reads them


@pytest.mark.parametrize(
    ("given_input", "texts", "tokens"),
    [
        ("abcdefgh", ["abcdefgh"], 2),
        (["a", "b"], ["a", "b"], 2),
        ([1, 2, 3], ["[1, 2, 3]"], 3),
        ([[1, 2, 3], [4]], ["[1, 2, 3]", "[4]"], 4),
        (["a", [4]], ["a", "[4]"], 2),
    ],
)
def test_an_input_is_a_text_or_a_list_of_tokens(
    given_input: object, texts: list[str], tokens: int
) -> None:
    found = read({"input": given_input, "model": "m"}, "openai")
    assert (found.seeds, found.tokens) == (tuple(map(seed, texts)), tokens)


def test_options_are_honoured() -> None:
    found = read({"input": "a", "encoding_format": "base64", "dimensions": 3}, "openai")
    assert (found.is_base64, found.dimensions, found.has_id) == (True, 3, True)
    plain = read({"input": "a", "encoding_format": "float", "dimensions": None}, "openai")
    assert (plain.is_base64, plain.dimensions) == (False, 1536)


@each_case(
    "payload, message",
    [
        ({}, "input is missing"),
        ({"input": None}, "input is missing"),
        ({"input": ""}, "input is empty"),
        ({"input": []}, "input is an empty list; expected at least one input"),
        ({"input": ["a", ""]}, r"input\[1\] is empty"),
        ({"input": ["a", []]}, r"input\[1\] is empty"),
        ({"input": 5}, "input is a number; expected a string or a list$"),
        ({"input": {"a": 1}}, "input is an object; expected a string or a list$"),
        ({"input": ["a", 1]}, r"input\[1\] is a number; expected a string or a list of tokens"),
        ({"input": [1, "a"]}, "input is a list that contains something other than tokens"),
        ({"input": [[1, True]]}, "input is a list that contains something other than tokens"),
        ({"input": [None]}, "input is null; expected a string or a list of tokens"),
        ({"input": "a", "model": 5}, "model is a number; expected a string"),
        ({"input": "a", "dimensions": 0}, "dimensions must be from 1 to 1,536"),
        ({"input": "a", "dimensions": 1537}, "dimensions must be from 1 to 1,536"),
        ({"input": "a", "dimensions": 3073, "model": "m"}, "dimensions must be from 1 to 3,072"),
        ({"input": "a", "dimensions": "3"}, "dimensions is a string; expected"),
        ({"input": "a", "dimensions": 2.5}, "dimensions is a number; expected a whole number"),
        ({"input": "a", "dimensions": True}, "dimensions is true; expected"),
        ({"input": "a", "encoding_format": "hex"}, 'encoding_format is neither "float" nor'),
        ({"input": "a", "encoding_format": []}, 'encoding_format is neither "float" nor'),
    ],
)
def test_what_the_api_refuses(payload: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match="^" + message) as caught:
        read(payload, "openai")
    assert caught.value.code == "invalid_value"


# In both


@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_inputs_are_bounded(profile: ProfileName) -> None:
    assert len(read({"input": ["a"] * MOST_INPUTS}, profile).seeds) == MOST_INPUTS
    with pytest.raises(RequestError, match=r"^input has 2,049 items; at most 2,048$") as caught:
        read({"input": ["a"] * (MOST_INPUTS + 1)}, profile)
    assert caught.value.code == "too_many_inputs"


def test_one_list_of_many_tokens_is_one_input_for_the_api_alone() -> None:
    tokens = list(range(MOST_INPUTS + 1))
    assert len(read({"input": tokens}, "openai").seeds) == 1
    with pytest.raises(RequestError, match="--profile openai reads a list of token numbers as one"):
        read({"input": tokens}, "stub")


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "input": strategies.json_values | st.lists(st.integers() | st.text(max_size=3)),
            "model": strategies.json_values,
            "dimensions": strategies.json_values | st.integers(-1, 800),
            "encoding_format": strategies.json_values | st.sampled_from(["float", "base64"]),
        },
    )
)
def test_any_request_has_a_reply_or_is_refused(payload: dict[str, Any]) -> None:
    assert isinstance(ignored_options(payload), list)
    for profile in PROFILE_NAMES:
        with suppress(RequestError):
            assert json.loads(read(payload, profile).body())["object"] == "list"
