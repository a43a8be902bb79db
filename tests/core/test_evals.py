"""Reports of golden queries, written and read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.strategies import json_values
from workbench.core import evals
from workbench.core.evals import (
    CalledTool,
    Check,
    Query,
    QueryRun,
    Report,
    command,
)
from workbench.core.formats import FormatError

PASSED = QueryRun(1, True, 0.02, checks=[Check("tool", True)], exchanges=[1])
FAILED = QueryRun(
    3,
    False,
    0.5,
    "red-under-30: max_price: expected 30 ±20%, got 50",
    [Check("tool", True), Check("filters", False, "max_price")],
    [CalledTool("search", {"max_price": 50})],
    [2, 3],
)


def query(*runs: QueryRun, required: float = 1.0) -> Query:
    return Query("red-under-30", "red wine", "t.py::t[red]", required, runs=[*runs])


def report(*queries: Query) -> Report:
    return Report("2026-11-21T10:12:00+00:00", False, 5, {query.test: query for query in queries})


names = st.text(max_size=8)
runs = st.builds(
    QueryRun,
    run=st.integers(1, 1000),
    passed=st.booleans(),
    seconds=st.floats(0, 1e6),
    failure=st.none() | st.text(max_size=30),
    checks=st.lists(st.builds(Check, names, st.booleans(), names, st.booleans()), max_size=3),
    calls=st.lists(
        st.builds(CalledTool, names, st.dictionaries(names, json_values, max_size=3)), max_size=2
    ),
    exchanges=st.lists(st.integers(1, 99), max_size=3),
)
queries = st.builds(
    Query,
    id=names,
    query=st.text(max_size=30),
    test=names,
    required=st.floats(0, 1),
    skipped=st.none() | names,
    runs=st.lists(runs, max_size=4, unique_by=lambda run: run.run).map(
        lambda found: sorted(found, key=lambda run: run.run)
    ),
)
reports = st.builds(
    Report,
    started=names,
    live=st.booleans(),
    repeat=st.integers(1, 99),
    queries=st.lists(queries, max_size=3).map(lambda some: {query.test: query for query in some}),
)


@given(reports)
def test_what_is_written_is_read(report: Report) -> None:
    assert evals.parse(evals.encode(report)) == report


def test_the_runs_say_how_a_query_did() -> None:
    some = query(FAILED, PASSED, required=0.5)
    assert (some.passes, some.rate, some.passed) == (1, 0.5, True)
    assert some.first_failure == "max_price: expected 30 ±20%, got 50 (run 3)"
    assert not query(FAILED, PASSED, required=0.6).passed
    skipped = query()
    assert (skipped.rate, skipped.passed, skipped.first_failure) == (None, True, "")
    assert report(query(FAILED)).failed
    assert not report(query(PASSED)).failed


def test_the_file_has_what_follows_from_the_runs() -> None:
    [value] = json.loads(evals.encode(report(query(FAILED, PASSED))))["queries"]
    assert (value["rate"], value["passed"]) == (0.5, False)
    assert [run["run"] for run in value["runs"]] == [1, 3]


def changed(path: str, new: Any) -> bytes:
    """A report in which the value at ``path`` is another one; None takes it away."""
    value = json.loads(evals.encode(report(query(PASSED, FAILED))))
    *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = value
    for part in above:
        place = place[part]
    if new is None:
        del place[last]
    else:
        place[last] = new
    return json.dumps(value).encode()


@each_case(
    "data, said",
    [
        (
            b'{"version": 1,\n "live" false}',
            "not JSON: Expecting ':' delimiter at line 2, column 9",
        ),
        (b'{"version": \xff}', "byte 12 is not UTF-8"),
        (b"[" * 100_000, "not JSON: "),
        (b"[]", "it should be an object, not a list"),
        (b"{}", "version is missing"),
        (changed("version", 2), "written in version 2 of the format; this workbench only reads 1"),
        (changed("queries", {}), "queries should be a list, not an object"),
        (changed("queries.0", 1), "queries[0] should be an object, not a number"),
        (changed("queries.0.id", 7), "queries[0].id should be a string, not a number"),
        (changed("queries.0.required", 1.5), "queries[0].required is 1.5, not from 0 to 1"),
        (changed("queries.0.runs.1.passed", None), "queries[0].runs[1].passed is missing"),
        (
            changed("queries.0.runs.0.checks.0", []),
            "queries[0].runs[0].checks[0] should be an object, not a list",
        ),
        (
            changed("queries.0.runs.1.calls.0.arguments", 1),
            "calls[0].arguments should be an object, not a number",
        ),
        (
            changed("queries.0.runs.1.exchanges.1", "x"),
            "exchanges[1] should be a valid integer",
        ),
    ],
)
def test_what_is_damaged_is_named(data: bytes, said: str) -> None:
    with pytest.raises(FormatError) as raised:
        evals.parse(data)
    assert said in str(raised.value)


def test_one_test_stands_once() -> None:
    value = json.loads(evals.encode(report(query(PASSED))))
    value["queries"] *= 2
    with pytest.raises(FormatError, match=r"queries\[1\].test appears twice: t.py::t\[red\]"):
        evals.parse(json.dumps(value).encode())


def test_a_command_in_a_report_is_not_read() -> None:
    """It would be pasted into a shell: who can write the file could say anything."""
    some = report(query(PASSED))
    value = json.loads(evals.encode(some))
    assert value["queries"][0]["command"] == some.command(some.queries["t.py::t[red]"])
    value["queries"][0]["command"] = "touch X"
    assert evals.parse(json.dumps(value).encode()) == some


TEST = "tests/test_wine.py::test_search"


@pytest.mark.parametrize(
    ("test", "repeat", "expected"),
    [
        (TEST, 1, f"pytest {TEST}"),
        (TEST, 3, f"pytest {TEST} --llm-repeat 3"),
        (f"{TEST}[red]", 1, f"pytest '{TEST}[red]'"),
        (f"{TEST}[red]", 3, f"pytest {TEST} -k '[red-run' --llm-repeat 3"),
        # What -k would not read as one word.
        (
            f"{TEST}[a red, or not?]",
            2,
            f"pytest '{TEST}[a red, or not?-run1]' '{TEST}[a red, or not?-run2]' --llm-repeat 2",
        ),
        ("t.py::t[a];touch X", 1, "pytest 't.py::t[a];touch X'"),
        ("--pdbcls=evil:Pdb", 1, "pytest ./--pdbcls=evil:Pdb"),
    ],
)
def test_the_command_repeats_a_test(test: str, repeat: int, expected: str) -> None:
    assert command(test, repeat=repeat, live=False) == expected
    assert command(test, repeat=repeat, live=True) == f"{expected} --llm-live"
