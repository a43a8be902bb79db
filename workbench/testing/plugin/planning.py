"""What to do with each test, decided when the tests are collected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from workbench.testing.evals.golden import duplicates
from workbench.testing.plugin.marks import BadMarkError, PluginMarks, pass_rate

NEEDS_LIVE = "an eval of a real backend: add --llm-live"


@dataclass(frozen=True, slots=True)
class Plan:
    """What the plugin does with a test.

    Attributes:
        pass_rate: the part of an eval's runs that must pass; None for other tests.
        missing: why the backend that it requires is missing, if so.
        mistake: what is wrong with its marks or its golden query; it fails the test. (An error of
            the whole session would end pytest-xdist's workers with a traceback.)
    """

    pass_rate: float | None = None
    missing: str | None = None
    mistake: str | None = None


def plans(
    items: Iterable[pytest.Item], marks: PluginMarks, *, live: bool
) -> Iterator[tuple[pytest.Item, Plan]]:
    """The tests that concern the plugin; with ``live`` evals may ask the real model."""
    items = list(items)
    same_id = duplicates(items)
    for item in items:
        eval_mark, backend_mark = marks.eval(item), marks.requires_backend(item)
        if item not in same_id and eval_mark is None and backend_mark is None:
            continue
        try:
            rate = None if eval_mark is None else pass_rate(eval_mark)
            missing = None
            if backend_mark is not None:
                from workbench.testing.plugin.backends import Requirement

                missing = Requirement.of(backend_mark).missing(os.environ)
                if rate is not None and not live:
                    missing = NEEDS_LIVE
        except BadMarkError as error:
            yield item, Plan(mistake=str(error))
        else:
            yield item, Plan(rate, missing, same_id.get(item))
