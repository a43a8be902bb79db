"""The one small change that makes a text JSON: offered only where no other one does."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.cases import each_case
from workbench.core.json import edits as jsonedit
from workbench.core.json.repairs import LONGEST_TEXT, sure_repair
from workbench.core.json.text import JSONText
from workbench.core.json.values import same


def anything(_: JSONText) -> bool:
    return True


def repaired(text: str, accepts: Callable[[JSONText], bool] = anything) -> str | None:
    """The text after its repair, if one is sure."""
    repair = sure_repair(text, accepts, knows_end=True)
    return None if repair is None else jsonedit.apply(text, repair.edits)


@each_case(
    "text, fixed",
    [
        ('{"a": 1,}', '{"a": 1}'),
        ("[1,\n]", "[1\n]"),
        ('{"a": 1 "b": 2}', '{"a": 1, "b": 2}'),
        ('{"a": 1,, "b": 2}', '{"a": 1, "b": 2}'),
        ("[[1] [2]]", "[[1], [2]]"),
        ('{"a" 1}', '{"a": 1}'),
        ('{"a", 1}', '{"a": 1}'),
        ('{"a": [1, 2}', '{"a": [1, 2]}'),
        ('{"a": [{"b": 1]}', '{"a": [{"b": 1}]}'),
        ('{"a": 1', '{"a": 1}'),
        ('{"a": 1}}', '{"a": 1}'),
        ('{"a": 1]', '{"a": 1}'),
        ('{"a": "x, "b": 1}', '{"a": "x", "b": 1}'),
        ('{"a: 1}', '{"a": 1}'),
        ("{'a': 'it\\'s \"q\"'}", '{"a": "it\'s \\"q\\""}'),
        ("{a: 1, b_2: [c]}", None),
        ("{a: 1, b_2: 2}", '{"a": 1, "b_2": 2}'),
        ('{"a": [True, False, None]}', '{"a": [true, false, null]}'),
        ("{'a': True, b: None}", '{"a": true, "b": null}'),
        ('{"a": "True, it\'s", "b": True}', '{"a": "True, it\'s", "b": true}'),
        # More than one change of this size gives a value.
        ('{"to": "c_17"",\n"class": 1}', None),  # or "c_17\""
        ('{"a": "x"y"}', None),
        ('{"a": x", "b": 1}', None),  # or " x"
        ("[1 2]", None),  # or 12
        ('{"a": [1}', None),  # or 1
        ('{"a": {"b": 1, "c": 2}', None),  # c may be beside a
        ('["a\nb"]', None),  # escaped, or not there
        # More than one is needed.
        ("{'a': True,}", None),
        ('{"a": [1, {"b": 2', None),
        ("", None),
        ("London", None),
        ("{} {}", None),
        ("<<<<<<< ours\n{}\n=======\n", None),
    ],
)
def test_a_text_with_one_slip(text: str, fixed: str | None) -> None:
    assert repaired(text) == fixed


@each_case(
    "text, accepted, fixed",
    [
        ('{"a": "c"",\n"b": 1}', {"a": "c", "b": 1}, '{"a": "c",\n"b": 1}'),
        ('{"a": "5"", "b": 1}', {"a": '5"', "b": 1}, '{"a": "5\\"", "b": 1}'),
        ('{"a": [1}', {"a": [1]}, '{"a": [1]}'),
        ('{"a": {"b": 1, "c": 2}', {"a": {"b": 1, "c": 2}}, '{"a": {"b": 1, "c": 2}}'),
        ('{"a": {"b": 1, "c": 2}', {"a": {"b": 1}, "c": 2}, '{"a": {"b": 1}, "c": 2}'),
        ('{"a": x"}', {"a": "x"}, '{"a": "x"}'),
        # What is the only change that counts need not be one to offer.
        ("[1 2]", [12], None),
        ('{"a": 1 "b": 2}', {"a": 1}, None),
    ],
)
def test_what_is_accepted_decides(text: str, accepted: Any, fixed: str | None) -> None:
    if fixed is not None:
        assert json.loads(fixed) == accepted
    assert repaired(text, lambda read: same(read.value, accepted)) == fixed


def test_a_text_that_breaks_off_may_go_on() -> None:
    for text in ('{"a": 1', '{"a": "b}', '{"a": {"b": 1}', ""):
        assert sure_repair(text, anything) is None
    assert sure_repair('{"a": 1]', anything) is not None
    assert sure_repair('{"a": 1}', anything) is None


SCHEMA = {
    "type": "object",
    "properties": {
        "to": {"type": "string", "pattern": "^[a-z0-9_]*$"},
        "class": {"enum": [1, 2]},
        "via": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "who": {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"],
                "additionalProperties": False},
    },
    "required": ["to", "class"],
    "additionalProperties": False,
}  # fmt: skip
FITTING = st.fixed_dictionaries(
    {"to": st.text("abc_1", max_size=3), "class": st.sampled_from([1, 2])},
    optional={
        "via": st.lists(st.sampled_from(["a", "b"]), max_size=2),
        "who": st.fixed_dictionaries({"age": st.integers(0, 99)}),
    },
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
STRUCTURE = '{}[]:,"'


def fits(read: JSONText) -> bool:
    return VALIDATOR.is_valid(read.value)


def value_of(text: str) -> Any:
    """The value of a text that is JSON, without a key twice, and fits; else None."""
    twice = []

    def make(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            twice.append(pairs)
        return dict(pairs)

    try:
        value = json.loads(text, object_pairs_hook=make)
    except ValueError:
        return None
    return value if not twice and VALIDATOR.is_valid(value) else None


def single_changes(text: str) -> Iterator[str]:
    """All texts with one character less, or one of the structure or a backslash more."""
    for at in range(len(text) + 1):
        yield text[:at] + text[at + 1 :]
        for new in STRUCTURE + "\\":
            yield text[:at] + new + text[at:]


@given(FITTING, st.data())
def test_a_repair_is_the_only_small_change_that_fits(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 1])))
    places = [at for at, char in enumerate(text) if char in STRUCTURE]
    at = data.draw(st.sampled_from(places))
    damaged = data.draw(
        st.sampled_from([text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:]])
        | st.sampled_from(STRUCTURE).map(lambda new: text[:at] + new + text[at:])
    )
    assume(value_of(damaged) is None)
    fixed = repaired(damaged, fits)
    if fixed is None:
        return
    assert value_of(fixed) is not None
    others = {json.dumps(found) for change in single_changes(damaged)
              if (found := value_of(change)) is not None}  # fmt: skip
    assert others == {json.dumps(value_of(fixed))} == {json.dumps(value)}


@given(FITTING)
def test_python_and_javascript_are_read(value: Any) -> None:
    assert repaired(repr(value), fits) == json.dumps(value)
    bare = json.dumps(value)
    for key in ("to", "class", "via", "who", "age"):
        bare = bare.replace(f'"{key}":', f"{key}:")
    assert repaired(bare, fits) == json.dumps(value)


@pytest.mark.parametrize("end", ["", '"', "]", ",]}"])
def test_a_long_text_takes_no_time(end: str) -> None:
    items = ", ".join(f'{{"name": "item {n}", "n": {n}}}' for n in range(4_000))
    before = time.process_time()
    repaired(f'{{"k": [{items}{end}')
    assert time.process_time() - before < 2


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("begin", ["", '{"a": ', "{'a': 1, "])
def test_a_string_without_an_end_that_has_many_quotes_takes_no_time(begin: str, quote: str) -> None:
    before = time.process_time()
    for number in (20_000, 20_001):
        assert repaired(begin + f"\\{quote}" * number) is None
    assert time.process_time() - before < 2  # a search from each quote takes minutes


def test_a_longer_text_is_left_as_it_is() -> None:
    longest = f"[{' ' * (LONGEST_TEXT - 4)}1,]"
    assert repaired(longest) == longest.replace(",", "")
    assert repaired(f" {longest}") is None
