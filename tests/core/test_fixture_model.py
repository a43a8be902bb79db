"""The JSON Schema of a fixture file, held against the rules that say the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given

from tests.core.rule_cases import BROKEN, FINE, NAME, Broken, Fine
from tests.reference import AGENT_FIXTURES, exchanges
from tests.strategies import fixtures
from workbench.core.delivery import MAX_DELAY_MS
from workbench.core.fixture_model import fixture_schema
from workbench.core.fixtures import (
    CALL_KEYS,
    ERROR_KEYS,
    FUNCTION_KEYS,
    OWN_KEYS,
    RESPONSE_KEYS,
    TOP_KEYS,
    USAGE_KEYS,
    Source,
    new_document,
)
from workbench.core.rules import RULES, Context, check
from workbench.core.rules.response import FINISH_REASONS

SCHEMA = fixture_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

# The rules about the form of a document, as far as a schema can say it.
FORM = {
    "not-an-object",
    "content-missing",
    "content-not-string",
    "tool-calls-shape",
    "arguments-not-string",
    "usage-shape",
    "reply-shape",
    "unknown-key",
    "missing-index",
    "finish-reason-unknown",
    "total-tokens-set",
}
# No schema can hold two parts of a document against each other, or tell 1e999 from a number.
BEYOND = ("a client that streams makes one call", "is not finite", "is inf;", "many digits")


def part(path: str) -> dict[str, Any]:
    """The schema of a key of the document, or of a list's items, where it is not null."""
    found: dict[str, Any] = SCHEMA
    for step in filter(None, path.split(".")):
        found = found["properties"][step]
        found = found.get("anyOf", [found])[0]
        found = found.get("items", found)
        if "$ref" in found:
            found = SCHEMA["$defs"][found["$ref"].rpartition("/")[2]]
    return found


def accepts(document: object) -> bool:
    return bool(VALIDATOR.is_valid(document))


def wrong_form(text: str) -> list[str]:
    """What the rules say is wrong with the form."""
    return [f.message for f in check(text, Context(NAME)) if f.rule in FORM]


def has_form(text: str) -> bool:
    return not wrong_form(text)


def can_be_told(wrong: list[str]) -> bool:
    return not any(part in message for message in wrong for part in BEYOND)


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert fixture_schema() is not fixture_schema()


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("", ("$schema", *TOP_KEYS)),
        ("response", RESPONSE_KEYS),
        ("response.tool_calls", CALL_KEYS),
        ("response.tool_calls.function", FUNCTION_KEYS),
        ("response.usage", USAGE_KEYS),
        ("response.error", ERROR_KEYS),
        ("workbench", OWN_KEYS),
    ],
)
def test_every_key_is_there_with_its_meaning(path: str, keys: tuple[str, ...]) -> None:
    properties = part(path)["properties"]
    assert list(properties) == list(keys)
    for name, schema in properties.items():
        told = schema if "description" in schema else part(f"{path}.{name}")
        assert told["description"].endswith("."), name


def test_it_names_what_the_code_knows() -> None:
    assert part("workbench.allow")["enum"] == list(RULES)
    assert part("workbench.source")["enum"] == list(get_args(Source))
    assert part("response.finish_reason")["enum"] == list(FINISH_REASONS)
    assert part("response.delay_ms")["maximum"] == MAX_DELAY_MS


def reference() -> Iterator[tuple[str, Any]]:
    for path in sorted(AGENT_FIXTURES.glob("*.json")):
        yield path.name[:12], json.loads(path.read_bytes())
    for number, exchange in enumerate(exchanges()):
        if exchange["fixture"] is not None and has_form(json.dumps(exchange["fixture"])):
            yield f"exchange {number}", exchange["fixture"]


def test_the_fixtures_of_the_reference_are_accepted() -> None:
    told = [name for name, document in reference() if not accepts(document)]
    assert told == []
    assert len(list(reference())) > 40


def test_what_the_editor_writes_is_accepted() -> None:
    call = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}
    document = new_document(
        NAME.removesuffix(".json"),
        {"content": "", "tool_calls": [call], "finish_reason": "tool_calls"},
        description="x",
        request={"model": "x"},
    )
    assert accepts(document.value)


@pytest.mark.parametrize(
    "case",
    [c for c in BROKEN if c.rule in FORM and can_be_told(wrong_form(c.data))],
    ids=lambda case: f"{case.rule}: {case.text[:60]!a}",
)
def test_what_breaks_a_rule_about_the_form_is_refused(case: Broken) -> None:
    assert not accepts(json.loads(case.data))


@pytest.mark.parametrize("case", FINE, ids=lambda case: f"{case.rule}: {case.data[:60]!a}")
def test_what_is_fine_is_accepted(case: Fine) -> None:
    if has_form(case.data):
        assert list(VALIDATOR.iter_errors(json.loads(case.data))) == []


@given(fixtures)
def test_what_has_the_form_is_accepted_and_nothing_else(fixture: dict[str, Any]) -> None:
    wrong = wrong_form(json.dumps(fixture))
    if can_be_told(wrong):
        assert accepts(fixture) == (not wrong), wrong
