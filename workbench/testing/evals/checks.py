"""Checks of an answer, its tool calls and its scores; each returns a ``Check``."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import pairwise
from typing import Any, Final, cast

from workbench.core.evals import Check
from workbench.core.fixture.rules import schema
from workbench.core.json.text import read_json
from workbench.core.json.values import is_number
from workbench.core.text.wording import counted
from workbench.testing.arguments import (
    require,
    require_number,
    require_text,
    require_whole_number,
    wrong_type,
)
from workbench.testing.evals.golden import ANY_TOOL, GoldenQuery
from workbench.testing.evals.spies import ToolCallSpy, note_check

# How much a number may differ from the expected one.
TOLERANCE: Final = 0.2
# Shorter names are parts of too many sentences.
_SHORTEST_NAME: Final = 3
_MARKUP: Final = re.compile(r"[*_`#>~]+")
_PLACEHOLDER: Final = re.compile(r"(?<!\{)\{[A-Za-z_][A-Za-z0-9_.\[\]]*\}(?!\})")


def _result(name: str, reason: str, *, inconclusive: bool = False) -> Check:
    return note_check(Check(name, not reason, reason, inconclusive))


def check_tool(golden: GoldenQuery, spy: ToolCallSpy) -> Check:
    """Check that the first tool call was of the expected tool: ``assert check_tool(golden, spy)``.

    Args:
        golden: the golden query with ``expected_tool``.
        spy: the spy that recorded the calls.

    Returns:
        The result. ``reason`` lists the calls if the check fails.
    """
    _require_golden("check_tool", golden, spy)
    first = spy.first_tool
    called = ", ".join(f"{c.name}({_shown(c.arguments)})" for c in spy.calls) or "none"
    if first is None or golden.expected_tool not in (ANY_TOOL, first):
        expected = "a tool" if golden.expected_tool == ANY_TOOL else golden.expected_tool
        actual = "no tool was called" if first is None else f"{first} was called first"
        reason = f"{golden.id}: expected {expected}, {actual}. Query: {golden.query!r}. "
        return _result("tool", f"{reason}Calls: {called}")
    return _result("tool", "")


def check_filters(golden: GoldenQuery, spy: ToolCallSpy) -> Check:
    """Check that the first tool call had the arguments ``golden.expected_filters``. It may have
    more.

    A string must contain the expected string, in upper or lower case. A number may differ by 20 %.
    Other values must be equal.

    Args:
        golden: the golden query with ``expected_filters``.
        spy: the spy that recorded the calls.

    Returns:
        The result. ``reason`` lists the arguments that are wrong.
    """
    _require_golden("check_filters", golden, spy)
    if not spy.calls:
        return _result("filters", f"{golden.id}: no tool was called. Query: {golden.query!r}")
    arguments = spy.first_args
    problems = [
        _wrong_filter(key, value, arguments) for key, value in golden.expected_filters.items()
    ]
    wrong = [problem for problem in problems if problem]
    return _result("filters", f"{golden.id}: {'; '.join(wrong)}" if wrong else "")


def _wrong_filter(key: str, expected: Any, arguments: Mapping[str, Any]) -> str:
    if key not in arguments:
        return f"{key}: expected {expected!r}, but it is missing"
    actual = arguments[key]
    if is_number(expected) and is_number(actual):
        holds = abs(actual - expected) <= abs(expected) * TOLERANCE
        return "" if holds else f"{key}: expected {expected} ±{TOLERANCE:.0%}, got {actual}"
    if isinstance(expected, str) and isinstance(actual, str):
        holds = expected.casefold() in actual.casefold()
    else:
        holds = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
    return "" if holds else f"{key}: expected {expected!r}, got {actual!r}"


def check_results(golden: GoldenQuery, results: Sized) -> Check:
    """Check that the search returned at least ``golden.min_results`` results.

    Args:
        golden: the golden query with ``min_results``.
        results: a list, or another value with a length, such as ``spy.calls[0].result``.
    """
    require("check_results", "golden", golden, GoldenQuery, "a GoldenQuery")
    require("check_results", "results", results, Sized, "a list of results")
    count, least = len(results), golden.min_results
    if count >= least:
        return _result("results", "")
    expected = counted(least, "result")
    reason = f"{golden.id}: expected at least {expected}, got {count}. Query: {golden.query!r}"
    return _result("results", reason)


def check_grounded(
    answer: str,
    names: Collection[str] | None = None,
    *,
    ids: Collection[object] | None = None,
    marker: str = "[A-Z][A-Z_]*",
    catalogue: Collection[str] | None = None,
) -> Check:
    """Check that an answer mentions only items that exist. Each section of the answer begins with a
    marker such as ``[ITEM:7]``, and the next line must contain one of ``names``::

        assert check_grounded("[ITEM:7] The **Blue Lamp**, for 28.", ["Blue Lamp", "Red Lamp"])

    With ``ids``, the 7 of the marker must be one of them instead. Upper and lower case, markup and
    the encoding of accents do not matter. Names of one or two characters are ignored. The result is
    inconclusive if the answer has no section.

    Args:
        answer: text of the model.
        names: names of the items that exist.
        ids: IDs of the items that exist.
        marker: regular expression for the word before the colon.
        catalogue: another name of the argument ``names``.

    Raises:
        TypeError: there are neither ``names`` nor ``ids``, or an argument has the wrong type.
    """
    require_text("check_grounded", "answer", answer)
    require_text("check_grounded", "marker", marker)
    items = catalogue if names is None else names
    if items is None and ids is None:
        raise TypeError("check_grounded: give the names of the items, or their ids")
    for name, values in (("names", items), ("ids", ids)):
        if isinstance(values, str) or not isinstance(values, Collection | None):
            raise wrong_type("check_grounded", name, values, "a list")
    sections = list(_sections(answer, marker))
    if not sections:
        return _result("grounded", "the answer has no sections to check", inconclusive=True)
    id_texts = {str(item) for item in ids} if ids is not None else None
    plain_names = [name for name in map(_plain, items or ()) if len(name) >= _SHORTEST_NAME]
    for number, (item, line) in enumerate(sections, 1):
        if id_texts is not None:
            problem = "" if item in id_texts else f"its ID is not one of the {len(id_texts)} IDs"
        else:
            text = _plain(line)
            has_name = any(
                re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in plain_names
            )
            problem = "" if has_name else f"it contains none of the {len(items or ())} names"
        if problem:
            return _result("grounded", f"section {number} [{item}]: {problem}: {line!r}")
    return _result("grounded", "")


def _sections(answer: str, marker: str) -> Iterator[tuple[str, str]]:
    """The id in each marker, and the first line after it."""
    marks = list(re.finditer(rf"\[(?:{marker}):([^\]\n]+)\]", answer))
    ends = [match.start() for match in marks[1:]] + [len(answer)]
    for match, end in zip(marks, ends, strict=False):
        lines = answer[match.end() : end].splitlines()
        line = next((line.strip() for line in lines if line.strip()), "")
        yield match[1].strip(), line


def _plain(text: str) -> str:
    unmarked = _MARKUP.sub(" ", unicodedata.normalize("NFC", text))
    return " ".join(unmarked.split()).casefold()


def check_relevance(
    scores: Sequence[float], threshold: float = 0.25, *, min_results: int = 1
) -> Check:
    """Check that there are enough results, and that each score is above the threshold.

    Args:
        scores: score of each result.
        threshold: number that each score must exceed.
        min_results: least number of results.
    """
    _require_scores("check_relevance", scores)
    require_number("check_relevance", "threshold", threshold)
    require_whole_number("check_relevance", "min_results", min_results, 0)
    if len(scores) < min_results:
        reason = f"expected at least {counted(min_results, 'result')}, got {len(scores)}"
        return _result("relevant", reason)
    for position, score in enumerate(scores, 1):
        if not score > threshold:
            reason = f"score {score:.2f} of result {position} is not above {threshold}"
            return _result("relevant", reason)
    return _result("relevant", "")


def check_ordering(scores: Sequence[float]) -> Check:
    """Check that no score is higher than a score before it.

    Args:
        scores: score of each result, in the order of the results.
    """
    _require_scores("check_ordering", scores)
    for position, (before, after) in enumerate(pairwise(scores), 1):
        if not after <= before:  # a score that is not a number is in no order
            before_it = f"result {position} (score {before:.2f})"
            reason = f"result {position + 1} (score {after:.2f}) comes after {before_it}"
            return _result("ordered", reason)
    return _result("ordered", "")


def check_differentiation(top_a: Sequence[Any], top_b: Sequence[Any], k: int = 3) -> Check:
    """Check that two queries have different results among their first ``k``, in any order.

    Args:
        top_a, top_b: results of the two queries.
        k: number of results to compare.
    """
    require("check_differentiation", "top_a", top_a, Sequence, "a list of results")
    require("check_differentiation", "top_b", top_b, Sequence, "a list of results")
    require_whole_number("check_differentiation", "k", k, 1)
    first_a, first_b = top_a[:k], top_b[:k]
    same = all(item in first_b for item in first_a) and all(item in first_a for item in first_b)
    return _result(
        "differentiated", f"both queries have the same first {k}: {list(first_a)!r}" if same else ""
    )


def check_schema(value: Any, json_schema: Mapping[str, Any]) -> Check:
    """Check that a JSON value matches a JSON Schema; ``reason`` lists each place that does not.

    Args:
        value: a JSON value.
        json_schema: the schema, a dict.

    Raises:
        TypeError: ``value`` is not a JSON value, or ``json_schema`` is not a dict.
    """
    require("check_schema", "json_schema", json_schema, Mapping, "a dict")
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        raise wrong_type("check_schema", "value", value, "a JSON value") from None
    verdict = schema.examine(json_schema, read_json(text), "the schema")
    reasons = [violation.message for violation in verdict.violations]
    if verdict.unchecked is not None:
        return _result("schema", "; ".join([*reasons, verdict.unchecked]), inconclusive=True)
    return _result("schema", "; ".join(reasons))


def check_filled(prompt: str) -> Check:
    """Check that a rendered prompt has no ``{placeholder}`` left. JSON and ``{{`` are allowed.

    Args:
        prompt: the text that is sent to the model.
    """
    require_text("check_filled", "prompt", prompt)
    left = _PLACEHOLDER.findall(prompt)
    return _result("filled", f"not filled in: {', '.join(left)}" if left else "")


def _require_golden(function: str, golden: object, spy: object) -> None:
    """Raises TypeError unless these are a golden query and a spy."""
    require(function, "golden", golden, GoldenQuery, "a GoldenQuery")
    require(function, "spy", spy, ToolCallSpy, "a ToolCallSpy")


def _require_scores(function: str, scores: object) -> None:
    """Raises TypeError unless these are numbers, which may be of numpy."""
    require(function, "scores", scores, Sized, "a list of numbers")
    for score in cast(Iterable[Any], scores):
        if isinstance(score, str) or not hasattr(score, "__float__"):
            raise wrong_type(function, "each score", score, "a number")


def _shown(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in arguments.items())
