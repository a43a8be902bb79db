"""Checks of what a model did. Each returns a ``Check``: ``assert check_tool(golden, spy)``."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
from itertools import pairwise
from typing import Any, Final

from workbench.core.evals import Check
from workbench.core.fixture.rules import schema
from workbench.core.json.text import read_json
from workbench.core.json.values import is_number
from workbench.core.text.wording import counted
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
    """The first tool that was called is the expected one."""
    first = spy.first_tool
    called = ", ".join(f"{c.name}({_shown(c.arguments)})" for c in spy.calls) or "none"
    if first is None or golden.expected_tool not in (ANY_TOOL, first):
        expected = "a tool" if golden.expected_tool == ANY_TOOL else golden.expected_tool
        actual = "no tool was called" if first is None else f"{first} was called first"
        reason = f"{golden.id}: expected {expected}, {actual}. Query: {golden.query!r}. "
        return _result("tool", f"{reason}Calls: {called}")
    return _result("tool", "")


def check_filters(golden: GoldenQuery, spy: ToolCallSpy) -> Check:
    """The first call has the expected arguments; it may have more.

    An expected text must be part of the argument, in any case; a number may differ by 20 % (zero by
    nothing); anything else must be equal.
    """
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
        return f"{key}: expected {expected!r}, it is missing"
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
    """The search found at least the golden query's ``min_results``.

    Args:
        results: what was found, such as ``spy.calls[0].result``.
    """
    count, least = len(results), golden.min_results
    if count >= least:
        return _result("results", "")
    expected = counted(least, "result")
    reason = f"{golden.id}: expected at least {expected}, got {count}. Query: {golden.query!r}"
    return _result("results", reason)


def check_grounded(
    answer: str,
    catalogue: Collection[str],
    *,
    ids: Collection[object] | None = None,
    marker: str = "[A-Z][A-Z_]*",
) -> Check:
    """Every section ``[WINE:7]`` of the answer is about an item of the catalogue: the first line of
    the section contains one of its names, or, with ``ids``, the 7 is one of them.

    Case, markup and the encoding of accents do not matter. Names of less than three characters are
    ignored. An answer without such sections is inconclusive.

    Args:
        marker: a pattern for the word before the colon.
    """
    sections = list(_sections(answer, marker))
    if not sections:
        return _result("grounded", "the answer has no sections to check", inconclusive=True)
    id_texts = {str(item) for item in ids} if ids is not None else None
    names = [name for name in map(_plain, catalogue) if len(name) >= _SHORTEST_NAME]
    for number, (item, line) in enumerate(sections, 1):
        if id_texts is not None:
            holds = item in id_texts
        else:
            text = _plain(line)
            holds = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)
        if not holds:
            return _result(
                "grounded",
                f"section {number} [{item}] is not about an item of the catalogue "
                f"({len(catalogue)} items): {line!r}",
            )
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
    """There are enough results, and each has a score above the threshold."""
    if len(scores) < min_results:
        reason = f"expected at least {counted(min_results, 'result')}, got {len(scores)}"
        return _result("relevant", reason)
    for position, score in enumerate(scores, 1):
        if not score > threshold:
            reason = f"score {score:.2f} of result {position} is not above {threshold}"
            return _result("relevant", reason)
    return _result("relevant", "")


def check_ordering(scores: Sequence[float]) -> Check:
    """No result has a higher score than one before it."""
    for position, (before, after) in enumerate(pairwise(scores), 1):
        if not after <= before:  # a score that is not a number is in no order
            reason = f"result {position + 1} ({after:.2f}) comes after {position} ({before:.2f})"
            return _result("ordered", reason)
    return _result("ordered", "")


def check_differentiation(top_a: Sequence[Any], top_b: Sequence[Any], k: int = 3) -> Check:
    """Two queries do not have the same ``k`` first results, in whatever order."""
    one, other = top_a[:k], top_b[:k]
    same = all(item in other for item in one) and all(item in one for item in other)
    return _result("differentiated", f"both have the first {k}: {list(one)!r}" if same else "")


def check_schema(value: Any, json_schema: Mapping[str, Any]) -> Check:
    """A JSON value matches a JSON Schema; the reason lists every place where it does not."""
    verdict = schema.examine(json_schema, read_json(json.dumps(value)), "the schema")
    reasons = [violation.message for violation in verdict.violations]
    if verdict.unchecked is not None:
        return _result("schema", "; ".join([*reasons, verdict.unchecked]), inconclusive=True)
    return _result("schema", "; ".join(reasons))


def check_filled(prompt: str) -> Check:
    """A rendered prompt has no ``{placeholder}`` left; ``{{`` and JSON do not count."""
    left = _PLACEHOLDER.findall(prompt)
    return _result("filled", f"not filled in: {', '.join(left)}" if left else "")


def _shown(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in arguments.items())
