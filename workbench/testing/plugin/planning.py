"""What is to become of each test, decided when the tests are collected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from workbench.testing.evals import parameters
from workbench.testing.plugin.marks import BadMarkError, Marks, pass_rate

if TYPE_CHECKING:
    from workbench.testing.plugin.backends import Requirement

NEEDS_LIVE = "an eval of a real backend: add --llm-live"


@dataclass(frozen=True, slots=True)
class Plan:
    """What the plugin does with a test.

    Attributes:
        pass_rate: of an eval: the part of its runs that must pass; None for other tests.
        missing: why the backend that it requires is not there, if so.
        mistake: what is wrong with its marks or its golden query; the test fails with that. (An
            error of the whole session would end the workers of pytest-xdist with a traceback.)
    """

    pass_rate: float | None = None
    missing: str | None = None
    mistake: str | None = None


def plans(
    items: Iterable[pytest.Item], marks: Marks, *, live: bool
) -> Iterator[tuple[pytest.Item, Plan]]:
    """The tests that the plugin does something with; other tests are left alone.

    Args:
        live: whether evals may ask the real model.
    """
    items = list(items)
    duplicates = parameters.duplicates(items)
    causes: dict[Requirement, str | None] = {}
    for item in items:
        eval_mark, backend_mark = marks.eval(item), marks.requires_backend(item)
        if item not in duplicates and eval_mark is None and backend_mark is None:
            continue
        try:
            rate = None if eval_mark is None else pass_rate(eval_mark)
            missing = None
            if backend_mark is not None:
                missing = _missing(backend_mark, causes)
                if rate is not None and not live:
                    missing = NEEDS_LIVE
        except BadMarkError as error:
            yield item, Plan(mistake=str(error))
        else:
            yield item, Plan(rate, missing, duplicates.get(item))


def _missing(mark: pytest.Mark, causes: dict[Requirement, str | None]) -> str | None:
    """Why the backend that a mark requires is not there, looked for once in a session.

    Raises:
        BadMarkError: a mark that cannot be understood.
    """
    from workbench.testing.plugin.backends import Requirement

    requirement = Requirement.of(mark)
    if requirement not in causes:
        causes[requirement] = requirement.missing(os.environ)
    return causes[requirement]
