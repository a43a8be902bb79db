"""Checks against JSON Schemas, fair ones and such as are made to do harm."""

from __future__ import annotations

import json
import socket
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values
from workbench.core.rules import jsontext
from workbench.core.rules.schema import Verdict, examine


def verdict(schema: dict[str, Any], value: Any, text: str | None = None) -> Verdict:
    return examine(schema, jsontext.read(json.dumps(value) if text is None else text), "tool")


def messages(schema: dict[str, Any], value: Any) -> list[str]:
    result = verdict(schema, value)
    assert result.unchecked is None
    return [violation.message for violation in result.violations]


def properties(**schemas: Any) -> dict[str, Any]:
    return {"type": "object", "properties": schemas}


# What is wrong, in words.


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "integer"}, "two", '"two" is a string; the schema wants an integer'),
        ({"type": "integer"}, 1.5, "1.5 is a number; the schema wants an integer"),
        ({"type": "string"}, None, "x is null; the schema wants a string"),
        ({"type": "boolean"}, [], "x is a list; the schema wants true or false"),
        ({"type": ["null", "number"]}, "", '"" is a string; the schema wants a number or null'),
        ({"enum": ["c", "f", 1]}, "k", '"k" is none of "c", "f", 1'),
        ({"const": "a"}, 1, '1 is not "a"'),
        ({"minimum": 1}, 0, "0 is less than the minimum, 1"),
        ({"maximum": 1}, 2, "2 is more than the maximum, 1"),
        ({"exclusiveMinimum": 0}, 0, "0 is not more than 0"),
        ({"exclusiveMaximum": 0}, 0, "0 is not less than 0"),
        ({"multipleOf": 5}, 3, "3 is no multiple of 5"),
        ({"minLength": 1}, "", "0 characters; the schema wants at least 1"),
        ({"maxLength": 0}, "a", "1 character; the schema wants at most 0"),
        ({"minItems": 2}, [1], "1 item; the schema wants at least 2"),
        ({"maxItems": 1}, [1, 2], "2 items; the schema wants at most 1"),
        ({"minProperties": 1}, {}, "0 keys; the schema wants at least 1"),
        ({"uniqueItems": True}, [1, 1], "the same item stands in it twice"),
        ({"contains": {"type": "string"}}, [1], "no item is as the schema wants"),
        ({"pattern": "^[A-Z]+$"}, "a", '"a" does not match the pattern ^[A-Z]+$'),
        ({"not": {}}, 1, '1 does not fit "not" of the schema'),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 4, "wants a string or null"),
        ({"oneOf": [{"type": "integer"}, {"minimum": 0}]}, 4, "fits more than one of the forms"),
        ({"anyOf": [{"minimum": 9}, {"multipleOf": 7}]}, 4, "4 fits none of 2 forms"),
        ({"type": "string"}, "a" * 99, None),
        ({"minLength": 100}, "a" * 99, "99 characters"),
        ({"maximum": 1}, 10**60, "1000000000000000000000000000000000000000…"[:39]),
    ],
)
def test_what_is_wrong_is_said_in_words(
    schema: dict[str, Any], value: Any, message: str | None
) -> None:
    said = messages(properties(x=schema), {"x": value})
    if message is None:
        assert said == []
    else:
        assert message in said[0]
        assert "x" in said[0].split(" ")[0]


def test_places_are_named_from_the_top() -> None:
    schema = properties(trip=properties(stops={"items": {"type": "integer"}}))
    schema["properties"]["trip"] |= {"required": ["to"], "additionalProperties": False}
    result = verdict(schema, {"trip": {"stops": [1, "x"], "via": 1}})
    assert [(v.path, v.message) for v in result.violations] == [
        (("trip", "stops", 1), 'trip.stops[1]: "x" is a string; the schema wants an integer'),
        (("trip",), "trip.to is missing; tool requires it"),
        (("trip", "via"), "trip has no via (it has stops)"),
    ]
    assert result.violations[2].allowed == ("stops",)


def test_the_whole_is_called_the_value() -> None:
    assert messages({"type": "object"}, [1]) == ["the value is a list; the schema wants an object"]


def test_a_property_that_is_forbidden_by_name() -> None:
    schema = properties(a=False, b=True)
    assert messages(schema, {"a": 1, "b": 1}) == ["tool has no a (it has b)"]


def test_of_several_forms_the_one_that_is_meant_is_explained() -> None:
    circle = {"type": "object", "properties": {"kind": {"const": "c"}, "r": {"type": "integer"}}}
    square = {"type": "object", "properties": {"kind": {"const": "s"}, "a": {"type": "integer"}}}
    schema = properties(shape={"oneOf": [circle, square, {"type": "null"}]})
    said = messages(schema, {"shape": {"kind": "s", "a": "x"}})
    assert said == ['shape.a: "x" is a string; the schema wants an integer']
    said = messages(schema, {"shape": {"kind": "t"}})
    assert said == ["shape: an object fits none of 3 forms"]
    optional = properties(n={"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]})
    assert messages(optional, {"n": 1}) == ["n: 1 is less than the minimum, 3"]


def test_references_within_the_schema_are_followed() -> None:
    schema = {
        "$defs": {"node": {**properties(next={"$ref": "#/$defs/node"}), "required": ["id"]}},
        "$ref": "#/$defs/node",
    }
    assert messages(schema, {"id": 1, "next": {"id": 2}}) == []
    assert messages(schema, {"id": 1, "next": {}}) == ["next.id is missing; tool requires it"]
    named = {"$defs": {"a": {"$anchor": "a", "type": "null"}}, **properties(x={"$ref": "#a"})}
    assert messages(named, {"x": 1}) == ["x: 1 is a number; the schema wants null"]


@pytest.mark.parametrize(
    "dialect",
    [
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ],
)
def test_known_dialects(dialect: str) -> None:
    schema = {"$schema": dialect, "$id": "http://x/y", "type": "object", "required": ["a"]}
    assert messages(schema, {}) == ["a is missing; tool requires it"]


# What cannot be checked.

LONG = "a" * 60 + "!"
DOUBLING = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}
NAMES = {f"k{n}": {"pattern": f"^(a|aa)+{n}$"} for n in range(2_000)}


def nested(depth: int, keyword: str) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {keyword: schema}
    return schema


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("schema", "value", "reason"),
    [
        ({"$ref": "http://127.0.0.1:1/x"}, {}, "it refers to http://127.0.0.1:1/x"),
        ({"$ref": "file:///etc/passwd"}, {}, "it refers to file:///etc/passwd"),
        ({"$ref": "other.json"}, {}, "it refers to other.json"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, {}, "nothing is fetched"),
        ({"$ref": "#/nowhere"}, {}, "the schema cannot be used"),
        ({"$ref": "#"}, {}, "refers to itself"),
        (nested(3_000, "not"), {}, "nested too deeply"),
        ({"$defs": {**DOUBLING, "a40": {}}, "$ref": "#/$defs/a0"}, {}, "takes too long"),
        (properties(x={"pattern": "^(a|a|aa)*$"}), {"x": LONG}, "takes too long"),
        (
            {"patternProperties": {"^(a|aa)+$": {}}, "additionalProperties": False},
            {LONG: 1},
            "long",
        ),
        ({"propertyNames": {"pattern": "^(a|aa)+$"}}, {LONG: 1}, "takes too long"),
        (properties(**NAMES), dict.fromkeys(NAMES, "a" * 24), "takes too long"),
        (properties(x={"pattern": "("}), {"x": ""}, "the pattern ( cannot be read"),
        (properties(x={"pattern": "(" * 450 + ")" * 450}), {"x": ""}, "cannot be read"),
        (properties(x={"pattern": "a" * 1_001}), {"x": ""}, "longer than 1,000 characters"),
        ({"uniqueItems": True}, [{"a": n} for n in range(4_000)], "takes too long"),
        ({"items": {"enum": list(range(10_000))}}, [-1] * 1_000, "takes too long"),
        ({"$defs": {str(n): {} for n in range(20_000)}}, {}, "more than 20,000 parts"),
        ({"anyOf": [{"type": "null"}] * 5_000}, "x" * 500_000, "takes too long"),
        ({"unevaluatedProperties": False}, {}, "unevaluatedProperties is not checked"),
        ({"unevaluatedItems": False}, [], "unevaluatedItems is not checked"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, {}, "is not known"),
        ({"$schema": ["x"]}, {}, "is not known"),
        ({"$schema": "http://[::1"}, {}, "is not known"),
        ({"type": "strng"}, {}, 'malformed: type is "strng", not the name of a type'),
        ({"required": "city"}, {}, 'malformed: required is "city", not a list of names'),
        (properties(a={"required": True}), {}, "malformed: properties.a.required is true"),
        ({"properties": []}, {}, "malformed: properties is a list"),
        ({"allOf": {}}, {}, "malformed: allOf is an object"),
        ({"items": [1]}, [1], "malformed: items is a number"),
        ({"multipleOf": 0}, 1, "malformed: multipleOf is 0"),
        ({"minLength": -1}, "", "malformed: minLength is -1"),
        ({"minLength": True}, "", "malformed: minLength is true"),
        ({"exclusiveMinimum": True}, 1, "malformed: exclusiveMinimum is true, not a number"),
        ({"uniqueItems": 1}, [], "malformed: uniqueItems is 1, not true or false"),
        ({"enum": "ab"}, "a", 'malformed: enum is "ab", not a list'),
        ({"pattern": ["a"]}, "a", "malformed: pattern is a list, not a string"),
        ({"required": ["a", 4]}, {}, "malformed: required is a list, not a list of names"),
        ({"$ref": {}}, {}, "malformed: $ref is an object, not a string"),
        (properties(a=[]), {}, "malformed: properties.a is a list"),
        ({"dependentRequired": 4}, {"a": 1}, "the schema cannot be used"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, str) else "",
)
def test_what_cannot_be_checked_is_said(schema: dict[str, Any], value: Any, reason: str) -> None:
    result = verdict(schema, value)
    assert reason in (result.unchecked or "")


def test_a_part_may_not_bring_its_own_dialect() -> None:
    """The library would go on with a validator that has none of the guards."""
    evil = {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^(a|aa)+$"}
    for schema in (properties(x=evil), {"enum": [evil], "$ref": "#/enum/0"}):
        assert "its own $schema" in (verdict(schema, {"x": LONG}).unchecked or "")
    moved = properties(x={"$id": "http://json-schema.org/draft-07/schema", "$ref": "#"})
    assert "its own $id" in (verdict(moved, {"x": LONG}).unchecked or "")
    # The root may name one, and the guards stay.
    rooted = {"$schema": "http://json-schema.org/draft-07/schema#", **properties(x={"$ref": "#/d"})}
    result = verdict({**rooted, "d": {"pattern": "^(a|aa)+$"}}, {"x": LONG})
    assert "takes too long" in (result.unchecked or "")


def test_nothing_is_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        uri = f"http://127.0.0.1:{server.getsockname()[1]}/schema"
        for schema in ({"$ref": uri}, {"$id": uri, "$ref": "#x"}, {"$schema": uri}):
            verdict(schema, {})
        with pytest.raises(BlockingIOError):
            server.accept()


def test_what_was_found_before_stands() -> None:
    schema = properties(a={"type": "integer"}, b={"$ref": "http://127.0.0.1:1/"})
    result = verdict(schema, {"a": "x", "b": 1})
    assert [v.path for v in result.violations] == [("a",)]
    assert result.unchecked is not None


def test_long_texts_are_not_checked() -> None:
    assert verdict({"type": "object"}, "x" * 1_000_000).unchecked is not None
    assert verdict({"type": "object"}, "x" * 900_000).unchecked is None


def test_long_schemas_are_not_used() -> None:
    assert verdict({"description": "x" * 500_000}, {}).unchecked is not None
    assert verdict({"description": "x" * 400_000}, {}).unchecked is None


def test_violations_are_bounded() -> None:
    assert len(verdict({"items": {"type": "null"}}, [1] * 5_000).violations) == 100


def test_finding_a_part_by_its_name_is_dear() -> None:
    """The library looks through the whole schema for it, each time."""
    parts = {"x": {"$anchor": "x", "type": "string"}, **{f"d{n}": {} for n in range(9_000)}}
    texts = ["a"] * 500
    assert verdict({"$defs": parts, "items": {"$ref": "#/$defs/x"}}, texts) == Verdict(())
    named = verdict({"$defs": parts, "items": {"$ref": "#x"}}, texts)
    assert named == Verdict((), "the schema takes too long to check")


def test_one_check_leaves_the_next_its_work() -> None:
    schema = {"items": {"type": "string"}}
    for _ in range(3):
        assert verdict(schema, ["x"] * 30_000) == Verdict(())


# Against the library.

SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.sampled_from(
        [
            {},
            {"type": "string"},
            {"type": "integer", "minimum": 0},
            {"type": ["number", "null"]},
            {"enum": ["a", 1, None]},
            {"const": True},
            {"type": "string", "minLength": 1, "pattern": "^[a-c]+$"},
            {"type": "boolean"},
        ]
    ),
    lambda inner: (
        st.builds(
            lambda parts, required, extra: {
                "type": "object",
                "properties": parts,
                "required": required,
                "additionalProperties": extra,
            },
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            st.booleans() | inner,
        )
        | st.builds(lambda item: {"type": "array", "items": item, "minItems": 1}, inner)
        | st.builds(
            lambda key, parts: {key: parts},
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
            st.lists(inner, min_size=1, max_size=3),
        )
        | st.builds(lambda part: {"patternProperties": {"^a": part}}, inner)
    ),
    max_leaves=5,
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(["", "a", "abc", "d", 0.5]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(SCHEMAS, VALUES)
def test_the_guards_change_no_verdict(schema: dict[str, Any], value: Any) -> None:
    whole = {"$defs": {"s": schema}, "properties": {"x": {"$ref": "#/$defs/s"}}}
    fits = jsonschema.Draft202012Validator(whole).is_valid({"x": value})
    result = verdict(whole, {"x": value})
    assert result.unchecked is None
    assert (result.violations == ()) == fits
    for violation in result.violations:
        found: Any = {"x": value}
        for step in violation.path:
            found = found[step]


@given(json_values.filter(lambda v: isinstance(v, dict)) | SCHEMAS, json_values)
def test_any_schema_can_be_checked_against(schema: dict[str, Any], value: Any) -> None:
    verdict(schema, value)
