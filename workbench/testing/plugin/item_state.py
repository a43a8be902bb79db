"""The plugin's data about each test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from workbench.testing.evals.spies import Observed
    from workbench.testing.mocks.project_mock import ProjectMock


@dataclass(slots=True)
class ItemState:
    """The plugin's data about a test, and its result.

    Attributes:
        pass_rate: the fraction of an eval's runs that must pass; None for other tests.
        missing: why the required backend is missing, or None.
        mistake: an error in its marks or its golden query, which fails the test. (An error of the
            whole session would end pytest-xdist's workers with a traceback.)
        mocks: the mocks that it uses.
        observed: its actions, if it is an eval.
    """

    pass_rate: float | None = None
    missing: str | None = None
    mistake: str | None = None
    mocks: list[ProjectMock] = field(default_factory=list)
    observed: Observed | None = None
    has_passed: bool = False


_state_key = pytest.StashKey[ItemState]()


def state_of(item: pytest.Item) -> ItemState:
    return item.stash.setdefault(_state_key, ItemState())
