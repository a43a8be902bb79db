"""What the plugin keeps of each test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from workbench.testing.evals.spies import Observed
    from workbench.testing.mocks.project_mock import ProjectMock


@dataclass(slots=True)
class ItemState:
    """What the plugin does with a test, and what came of it.

    Attributes:
        pass_rate: the part of an eval's runs that must pass; None for other tests.
        missing: why the backend that it requires is missing, if so.
        mistake: what is wrong with its marks or its golden query; it fails the test. (An error of
            the whole session would end pytest-xdist's workers with a traceback.)
        mocks: those that it asked for.
        observed: what it did, if it is an eval.
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
