"""What a test is parametrized with: its golden query, and which of its repeated runs it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest

from workbench.testing.evals.golden import GoldenQuery

# The parameter that repeats a test.
RUN: Final = "llm_run"


def run_id(number: object) -> str:
    return f"run{number}"


def golden(item: pytest.Item) -> GoldenQuery | None:
    """The golden query that a test has for a parameter."""
    found = [value for value in parameters(item).values() if isinstance(value, GoldenQuery)]
    return found[0] if found else None


def duplicates(items: Iterable[pytest.Item]) -> dict[pytest.Item, str]:
    """The tests whose golden query has the id of another one of the same test function, and how to
    say that.
    """
    seen: dict[tuple[str, str], GoldenQuery] = {}
    found: dict[pytest.Item, str] = {}
    for item in items:
        query = golden(item)
        if query is None:
            continue
        first = seen.setdefault((_function(item), query.id), query)
        if query is not first:
            found[item] = f"{_function(item)}: two golden queries have the id {query.id!r}"
    return found


def parameters(item: pytest.Item) -> dict[str, Any]:
    """Its parameters by their names."""
    callspec = getattr(item, "callspec", None)
    return callspec.params if callspec is not None else {}


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]
