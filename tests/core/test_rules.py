"""The validation rules: each finds what it is about and nothing near it, and mends what it can."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from time import process_time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.rule_cases import (
    BROKEN,
    DIGEST,
    FINE,
    NAME,
    Broken,
    Fine,
    content,
    one_call,
    request,
)
from tests.reference import AGENT_FIXTURES, exchanges
from tests.strategies import fixtures, json_values, payloads
from workbench.core import jsonedit
from workbench.core.findings import Finding
from workbench.core.mending import mend
from workbench.core.rules import MOST_FINDINGS, RULES, Context, check
from workbench.core.rules.model import DocumentRule
from workbench.core.rules.subject import MOST_CHARACTERS

ERRORS = [
    "invalid-json",
    "not-utf8",
    "not-an-object",
    "duplicate-key",
    "content-missing",
    "content-not-string",
    "tool-calls-shape",
    "arguments-not-string",
    "arguments-invalid-json",
    "arguments-not-object",
    "arguments-not-finite",
    "arguments-schema",
    "tool-not-offered",
    "duplicate-call-id",
    "response-format-violated",
    "usage-shape",
    "reply-shape",
    "digest-mismatch",
    "request-mismatch",
]
WARNINGS = [
    "unknown-key",
    "bad-filename",
    "too-large",
    "content-lost-when-streaming",
    "missing-index",
    "tool-choice-violated",
    "finish-reason-unknown",
    "finish-reason-contradicts",
    "total-tokens-set",
    "secret",
    "will-rot",
]
INFOS = [
    "unused-fixture",
    "duplicate-request",
    "workbench-only",
    "request-not-stored",
    "schema-unchecked",
]


def found(case: Broken | Fine) -> list[Finding]:
    context = Context(filename=case.filename, requests=case.requests)
    return [f for f in check(case.data, context) if f.rule == case.rule]


def names(data: bytes | str, context: Context | None = None) -> list[str]:
    return [finding.rule for finding in check(data, context or Context(NAME))]


# The table.


def test_the_rules_are_those_of_the_contract() -> None:
    assert list(RULES) == ERRORS + WARNINGS + INFOS
    severities = {name: rule.severity for name, rule in RULES.items()}
    assert severities == {
        **dict.fromkeys(ERRORS, "error"),
        **dict.fromkeys(WARNINGS, "warning"),
        **dict.fromkeys(INFOS, "info"),
    }


def test_each_rule_explains_itself() -> None:
    for rule in RULES.values():
        assert rule.summary
        assert rule.summary[0].islower() or rule.summary.split()[0] in RULES
        assert rule.explain.endswith(".")
        assert len(rule.explain) > len(rule.summary)


def test_the_cases_cover_every_rule() -> None:
    """Those about a folder have cases of their own; see ``test_rules_folder``."""
    rules = {name for name, rule in RULES.items() if isinstance(rule, DocumentRule)}
    assert {case.rule for case in BROKEN} == rules
    assert {case.rule for case in FINE} == rules
    assert set(RULES) - rules == {"unused-fixture", "duplicate-request"}


# Each rule.


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: f"{case.rule}: {case.text[:60]!a}")
def test_a_broken_rule_is_found_at_its_place(case: Broken) -> None:
    first, *rest = found(case)
    assert rest == []
    assert case.says in first.message
    assert (first.line, first.column) == case.place
    assert first.severity == RULES[case.rule].severity
    if case.fixed is None:
        assert first.fix is None
    else:
        assert first.fix is not None
        fixed = jsonedit.apply(case.data, first.fix.edits)
        assert fixed == case.fixed
        left = check(fixed, Context(case.filename, case.requests))
        assert [f for f in left if f.rule == case.rule and case.says in f.message] == []


@pytest.mark.parametrize("case", FINE, ids=lambda case: f"{case.rule}: {case.data[:60]!a}")
def test_what_comes_close_is_fine(case: Fine) -> None:
    assert found(case) == []


def test_bytes_and_text_are_the_same_to_a_rule() -> None:
    for case in BROKEN:
        if "\ud800" not in case.data:  # which has no bytes
            context = Context(case.filename, case.requests)
            assert check(case.data.encode(), context) == check(case.data, context)


# Documents that cannot be read.


@pytest.mark.parametrize(
    ("data", "rule", "line", "column"),
    [
        (b"", "invalid-json", 1, 1),
        (b" \n", "invalid-json", 2, 1),
        (b"[]", "not-an-object", 1, 1),
        (b'\n "x"', "not-an-object", 2, 2),
        (b'\xef\xbb\xbf{"response": {"content": ""}}', "not-utf8", 1, 1),
        (b'{"a":\n "\xc3\xa9\xff"}', "not-utf8", 2, 4),
        ('{"response": {"content": "é"}}'.encode("latin-1"), "not-utf8", 1, 27),
        ('{"response": {"content": "é"}}'.encode("utf-16"), "not-utf8", 1, 1),
        (b'{"a": "\x00"}', "invalid-json", 1, 8),
        (b"x" * 1_000_000, "invalid-json", 1, 1),
        (b"\n[" + b"1," * 500_000 + b"1]", "not-an-object", 2, 1),
        (b'{"a": [' + b"1," * 500_000, "invalid-json", 1, 1_000_008),
        (b'{"a": ' * 100_000, "invalid-json", 1, 1801),
        (b"[" * 100_000 + b"]" * 100_000, "invalid-json", 1, 301),
        (b'{"a": 1}{"a": 2}', "invalid-json", 1, 9),
        (b'{"a": ' + b"9" * 5_000 + b"}", "invalid-json", 1, 7),
        (b"{'a': 1}", "invalid-json", 1, 2),
        (b'{"a": 1} // so', "invalid-json", 1, 10),
        (b'{\n<<<<<<< HEAD\n "a": 1\n=======\n "a": 2\n>>>>>>> x\n}', "invalid-json", 2, 1),
    ],
)
def test_a_file_that_cannot_be_read_is_one_finding(
    data: bytes, rule: str, line: int, column: int
) -> None:
    (finding,) = check(data, Context(NAME))
    assert (finding.rule, finding.line, finding.column) == (rule, line, column)
    assert finding.blocks


def test_the_markers_of_a_merge_conflict_have_their_own_message() -> None:
    (finding,) = check('{\n<<<<<<< ours\n"a": 1\n}', Context(NAME))
    assert "merge conflict" in finding.message
    inside = content(json.dumps("<<<<<<< ours\n=======\n>>>>>>> theirs"))
    assert names(inside) == ["request-not-stored"]


def test_a_document_of_a_megabyte_is_checked() -> None:
    big = '{"response": {"content": [%s], "usage": null}}' % ("1," * 300_000 + "1")
    assert [(f.rule, f.line, f.column) for f in check(big, Context(NAME, [request()]))] == [
        ("content-not-string", 1, 26),
        ("usage-shape", 1, 600_040),
    ]
    assert names(content(json.dumps("é" * 300_000))) == ["request-not-stored"]


def test_of_one_rule_the_first_findings_are_listed_and_the_others_counted() -> None:
    calls = ",\n".join(["1"] * 5_000)
    found = check(f'{{"response": {{"tool_calls": [{calls}]}}}}', Context(NAME))
    *listed, more = (f for f in found if f.rule == "tool-calls-shape")
    assert [f.line for f in listed] == list(range(1, MOST_FINDINGS + 1))
    assert (more.message, more.line) == ("4,900 more of these are not listed", MOST_FINDINGS)
    assert (more.severity, more.fix) == ("error", None)
    enough = ",".join(["1"] * MOST_FINDINGS)
    assert names(f'{{"response": {{"tool_calls": [{enough}]}}}}').count("tool-calls-shape") == 100


CALL = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
DIFFERENT_CALLS = [{**CALL, "index": i, "id": f"id{i}"} for i in range(3_000)]
NO_INDEX = [{key: value for key, value in call.items() if key != "index"} for call in
            DIFFERENT_CALLS]  # fmt: skip
BAD_ARGUMENTS = [{**call, "function": {"name": "f", "arguments": "{a"}} for call in DIFFERENT_CALLS]
EQUAL_KEYS = "{" + ",".join(f'"k{i % 100}": 1' for i in range(8_000)) + "}"
LARGE = {
    "unknown keys": json.dumps({"response": {"content": "x", **dict.fromkeys(range(20_000), 1)}}),
    "near keys": json.dumps(
        {"response": {"content": "x", **{f"contnt{i}": 1 for i in range(20_000)}}}
    ),
    "unknown rules": content('""')[:-1]
    + f', "workbench": {{"allow": {json.dumps([f"secre{i}" for i in range(20_000)])}}}}}',
    "one id": json.dumps({"response": {"tool_calls": [CALL] * 3_000}}),
    "no index": json.dumps({"response": {"tool_calls": NO_INDEX}}),
    "bad arguments": json.dumps({"response": {"tool_calls": BAD_ARGUMENTS}}),
    "not calls": json.dumps({"response": {"tool_calls": [1] * 20_000}}),
    "equal arguments": one_call(json.dumps(EQUAL_KEYS)),
    "not finite": '{"response": {"content": ""}, "_": [' + ",".join(["NaN"] * 20_000) + "]}",
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_the_work_for_many_findings_does_not_grow_with_their_square(text: str) -> None:
    """Each took many times as long when the place of each finding was looked for alone."""
    before = process_time()
    found = check(text, Context(NAME, [request("get_weather")]))
    assert process_time() - before < 2.5
    assert any("more of these are not listed" in finding.message for finding in found)


def test_a_long_file_gets_fewer_fixes_at_once() -> None:
    document = {"_": "x" * 700_000, "response": {"tool_calls": NO_INDEX[:300]}}
    mended = mend(json.dumps(document), Context(NAME))
    made = [finding.rule for finding in mended.made]
    assert made == ["missing-index"] * 200
    assert [finding.rule for finding in mended.left if finding.fix].count("missing-index") == 100


def test_a_file_that_is_too_large_is_read_and_no_more() -> None:
    start = '{"response": [], "usage": 1, "_": "'
    longest = start + "x" * (MOST_CHARACTERS - len(start) - 2) + '"}'
    assert names(longest) == ["request-not-stored", "not-an-object", "unknown-key"]
    found = check(f"{longest} ", Context(NAME))
    assert [finding.rule for finding in found] == ["too-large", "not-an-object"]
    assert found[0].message.startswith("the file has more than 20,000,000 characters; only")
    assert names(f"{longest}]") == ["invalid-json"]


def test_half_a_million_keys_are_not_looked_at_one_by_one() -> None:
    text = json.dumps(dict.fromkeys(range(500_000), 1))
    before = process_time()
    assert names(text) == ["too-large"]
    assert process_time() - before < 8


def test_what_is_held_against_schemas_is_bounded_for_the_document() -> None:
    words = {"type": "array", "items": {"type": "string", "pattern": "^w"}}
    arguments = json.dumps({"words": [f"w{i}" for i in range(300)]})
    calls = [{**call, "function": {"name": "f", "arguments": arguments}} for call in
             DIFFERENT_CALLS[:30]]  # fmt: skip
    found = check(
        json.dumps({"response": {"tool_calls": calls, "finish_reason": "tool_calls"}}),
        Context(NAME, [request("f", parameters={"properties": {"words": words}})]),
    )
    assert {finding.rule for finding in found} == {"schema-unchecked"}
    assert 0 < len(found) < 30
    assert found[-1].message == "call 29: not checked against f: the schema takes too long to check"


def test_more_violations_than_are_listed_are_told() -> None:
    text = one_call(json.dumps(json.dumps({"city": "L", **dict.fromkeys(range(200), 1)})))
    found = check(text, Context(NAME, [request("get_weather")]))
    assert [f.rule for f in found].count("arguments-schema") == 100
    (unchecked,) = (f for f in found if f.rule == "schema-unchecked")
    assert unchecked.message.endswith("more than 100 places do not fit")


# The findings together.


def test_findings_come_in_the_order_of_their_places() -> None:
    text = '{\n"usage": 1, "response": {\n"usage": null, "content": 1},\n"_": NaN, "x": 1}'
    places = [(f.line, f.column) for f in check(text, Context("n.json"))]
    assert places == sorted(places)
    assert len(places) == 7


def test_an_allowed_rule_is_left_out_and_no_other() -> None:
    broken = {"response": {"content": 1, "usage": None}, "workbench": {"allow": ["usage-shape"]}}
    context = Context(NAME, [request()])
    assert names(json.dumps(broken), context) == ["content-not-string"]
    broken["workbench"] = {"allow": ["usage-shape", "content-not-string", 4, ["x"], None]}
    assert names(json.dumps(broken), context) == ["unknown-key"] * 3
    broken["workbench"] = {"allow": "usage-shape"}
    assert set(names(json.dumps(broken), context)) == {
        "usage-shape",
        "content-not-string",
        "unknown-key",
    }


def test_each_variant_of_a_request_is_checked_and_said_once() -> None:
    weather, time = request("get_weather"), request("get_time", parameters={"required": ["zone"]})
    text = one_call(r'"{\"zone\": 1}"')
    assert names(text, Context(NAME, [weather])) == ["arguments-schema"] * 2
    assert names(text, Context(NAME, [time])) == ["tool-not-offered"]
    both = names(text, Context(NAME, [weather, time]))
    assert sorted(both) == ["arguments-schema", "arguments-schema", "tool-not-offered"]
    assert (
        names(text, Context(NAME, [weather, {**weather, "temperature": 1}]))
        == ["arguments-schema"] * 2
    )
    # Equal findings of different requests are one.
    strict = request("get_weather", tool_choice="required")
    assert names(text, Context(NAME, [weather, strict])) == ["arguments-schema"] * 2


def test_the_stored_request_is_used_beside_those_of_the_log() -> None:
    document = json.loads(one_call('"{}"', "get_time"))
    document["request"] = request("get_weather")
    logged = request("get_time", parameters={}, tool_choice="none")
    found = names(json.dumps(document), Context(None, [logged]))
    assert sorted(found) == ["tool-choice-violated", "tool-not-offered"]


def test_a_finding_leads_into_the_arguments() -> None:
    text = one_call(r'"{\"city\": \"L\", \"days\": \"two\"}"')
    (finding,) = check(text, Context(NAME, [request("get_weather")]))
    assert finding.path == ("response", "tool_calls", 0, "function", "arguments")
    assert (finding.inner, finding.inner_offset) == (("days",), None)
    (finding,) = check(one_call(r'"{\"a\" 1}"'), Context(NAME, [request("get_weather")]))
    assert finding.path == ("response", "tool_calls", 0, "function", "arguments")
    assert (finding.inner, finding.inner_offset) == (None, 5)
    (finding,) = check(one_call(r'"{\"a\": {\"b\": NaN}}"'), Context(NAME, [request("x")]))[:1]
    assert finding.rule == "tool-not-offered"
    found = check(one_call(r'"{\"a\": {\"b\": NaN}}"'), Context(NAME, [request()]))
    assert [(f.rule, f.inner) for f in found if f.inner] == [("arguments-not-finite", ("a", "b"))]
    found = check(one_call(r'"{\"a\": {\"b\": 1, \"b\": 2}}"'), Context(NAME, [request()]))
    assert [(f.rule, f.inner) for f in found if f.inner] == [("duplicate-key", ("a", "b"))]


@pytest.mark.parametrize(
    ("data", "title"),
    [
        ("\ufeff{}", "remove the byte order mark"),
        ('{"a": 1 "b": 2}', "add the comma"),
        ('{"a" 1}', "add the colon"),
        ('{"a": 1,}', "remove the comma"),
        (one_call('"{,}"'), None),
        (one_call(r'"{\"a\": 1,}"'), "remove the comma"),
        (one_call("{}"), "write as a JSON string"),
        (one_call('"{}"').replace('"index": 0, ', ""), 'add "index": 0'),
        (one_call('"{}"').replace('"tool_calls"}}', '"stop"}}'), "set finish_reason to tool_calls"),
        (content('""', ', "usage": {"total_tokens": 1}'), "remove total_tokens"),
        ('{"respons": {}}', 'rename to "response"'),
        ('{"request_digest": "x", "response": {"content": ""}}', "set to c62fad60235a…"),
    ],
)
def test_a_fix_says_what_it_does(data: str, title: str | None) -> None:
    fixes = [
        finding.fix.title for finding in check(data, Context(NAME, [request()])) if finding.fix
    ]
    assert fixes == ([] if title is None else [title])


def test_a_mismatch_is_not_mended_where_the_name_is_wrong() -> None:
    """The stored request has the digest that is written, so the file was renamed."""
    stored = request("get_weather")
    written = "90d61b483ab8441e56833ebe203434341639cb709829677966825d4aa620ec40"
    document = {"request_digest": written, "response": {"content": ""}, "request": stored}
    found = check(json.dumps(document), Context(NAME))
    assert [(f.rule, f.fix) for f in found] == [
        ("digest-mismatch", None),
        ("request-mismatch", None),
    ]
    document["request_digest"] = "0" * 64
    mismatch = check(json.dumps(document), Context(NAME))[0]
    assert mismatch.fix is not None
    assert DIGEST in jsonedit.apply(json.dumps(document), mismatch.fix.edits)


def test_a_word_that_is_another_word_is_no_slip() -> None:
    found = check(content('""', ', "comment": 1, "cache": 2, "id": 3'), Context(NAME, [request()]))
    assert [f.fix for f in found] == [None, None, None]
    # Where the right key is there already, the other is none of it.
    twice = '{"response": {"contents": "a", "content": "b"}}'
    assert [f.fix for f in check(twice, Context(NAME, [request()]))] == [None]


# Whatever the input.


@pytest.mark.parametrize("path", sorted(AGENT_FIXTURES.iterdir()), ids=lambda p: p.name[:12])
def test_real_fixtures_have_nothing_wrong(path: Any) -> None:
    assert names(path.read_bytes(), Context(path.name)) == ["request-not-stored"]


def test_what_the_reference_answers_with_is_checked() -> None:
    """The fixtures of the reference exchanges, against the requests they answered."""
    seen = set()
    for exchange in exchanges():
        if exchange["fixture"] is not None:
            context = Context(f"{exchange['digest']}.json", [exchange["payload"]])
            seen |= {f.rule for f in check(json.dumps(exchange["fixture"]), context)}
    assert seen <= set(RULES)
    assert {"missing-index", "finish-reason-contradicts"} <= seen


@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbf")
@example(b"\xff")
def test_any_bytes_can_be_checked(data: bytes) -> None:
    check(data, Context(NAME))


@given(st.text(max_size=60) | st.text(alphabet='{}[]":,\\ue1-N\n\ud800', max_size=40))
def test_any_text_can_be_checked(text: str) -> None:
    for finding in check(text, Context("x.json")):
        assert finding.rule in RULES
        assert 1 <= finding.line <= text.count("\n") + 1


RESPONSES = st.fixed_dictionaries(
    {},
    optional={
        "response": st.fixed_dictionaries(
            {},
            optional={
                "content": json_values,
                "tool_calls": json_values
                | st.lists(
                    st.fixed_dictionaries(
                        {"function": st.fixed_dictionaries({}, optional={"arguments": json_values})}
                    ),
                    max_size=2,
                ),
                "usage": json_values,
                "error": json_values,
                "finish_reason": json_values,
            },
        ),
        "request": payloads,
        "workbench": json_values | st.dictionaries(st.just("allow"), json_values),
        "request_digest": json_values,
    },
)


@given(json_values | fixtures | RESPONSES, payloads, st.sampled_from([None, 1]))
def test_any_json_can_be_checked(value: Any, payload: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    for finding in check(text, Context(NAME, [payload])):
        assert_the_place_is_real(text, finding)


def assert_the_place_is_real(text: str, finding: Finding) -> None:
    lines = text.split("\n")
    assert 1 <= finding.line <= len(lines)
    assert 1 <= finding.column <= len(lines[finding.line - 1]) + 1
    if finding.fix is not None:
        json.loads(jsonedit.apply(text, finding.fix.edits))


SOURCES = [path.read_bytes() for path in sorted(AGENT_FIXTURES.iterdir())]


@given(st.sampled_from(SOURCES), st.randoms(use_true_random=False), st.integers(1, 4))
def test_mutated_fixtures_can_be_checked(source: bytes, chance: random.Random, times: int) -> None:
    data = bytearray(source)
    for _ in range(times):
        at = chance.randrange(len(data))
        piece = chance.choice([b"", b'"', b"{", b"}", b",", b"\\", b"\n", b"null", b"\xff", b"NaN"])
        data[at : at + chance.randrange(3)] = piece
    for finding in check(bytes(data), Context(NAME, [request("get_weather")])):
        assert finding.rule in RULES


def test_arguments_of_any_depth_can_be_checked() -> None:
    for depth in (200, 299, 300, 400, 900, 2_000):
        text = one_call(json.dumps('{"a": ' * depth + "1" + "}" * depth))
        found = check(text, Context(NAME, [request("get_weather", parameters={"$ref": "#"})]))
        assert ("arguments-invalid-json" in [f.rule for f in found]) == (depth > 300)


def test_the_rules_load_no_validator_until_there_is_a_schema() -> None:
    code = (
        "import sys; from workbench.core.rules import Context, check; "
        'check(\'{"response": {"content": 1}}\', Context()); '
        "print([m for m in ('jsonschema', 'referencing', 'regex') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
