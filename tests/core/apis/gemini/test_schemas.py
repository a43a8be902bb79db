"""Schemas of the OpenAPI kind as JSON Schemas."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.strategies import json_values
from workbench.core.apis.gemini.request import as_json_schema

CITY = {
    "type": "OBJECT",
    "properties": {
        "type": {"type": "STRING", "enum": ["city", "town"], "nullable": True},
        "tags": {"type": "ARRAY", "items": {"type": "STRING"}, "min_items": "1"},
        "people": {"any_of": [{"type": "INTEGER"}, {"type": "STRING", "maxLength": "3"}]},
    },
    "property_ordering": ["type", "tags"],
    "required": ["type"],
}


@pytest.mark.parametrize(
    ("value", "is_valid"),
    [
        ({"type": "city", "tags": ["a"], "people": 3}, True),
        ({"type": None, "people": "3 m"}, True),
        ({}, False),
        ([], False),
        (None, False),
        ({"type": "village"}, False),
        ({"type": "city", "tags": []}, False),
        ({"type": "city", "tags": [1]}, False),
        ({"type": "city", "people": "many"}, False),
    ],
)
def test_what_a_schema_allows(value: Any, is_valid: bool) -> None:
    schema = as_json_schema(CITY)
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid(value) is is_valid


def test_a_json_schema_stays_as_it_is() -> None:
    schema = {"type": "object", "nullable": True, "properties": {"a": {"type": "STRING"}}}
    assert as_json_schema(schema) is schema


def test_a_schema_that_is_nested_too_deeply_stays_as_it_is() -> None:
    schema: dict[str, Any] = {"type": "STRING"}
    for _ in range(5_000):
        schema = {"type": "ARRAY", "items": schema}
    assert as_json_schema(schema) is schema


keys = st.sampled_from(["type", "nullable", "properties", "items", "any_of", "min_items", "enum"])
odd = st.recursive(
    json_values | st.sampled_from(["STRING", "OBJECT", "7"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(keys, odd, max_size=4))
def test_any_object_is_taken(schema: dict[str, Any]) -> None:
    assert isinstance(as_json_schema({**schema, "type": "OBJECT"}), dict)
