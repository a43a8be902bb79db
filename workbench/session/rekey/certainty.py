"""How certain it is which fixture is meant for a miss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from workbench.core.replies.response import responses
from workbench.core.text.digests import short
from workbench.io.fixture.store import FixtureStore


def answers_of(store: FixtureStore) -> Callable[[str], Any]:
    """Gives all answers of a fixture, by its name; each file is read once."""

    @cache  # hundreds of misses may be the same but for an id
    def answers(name: str) -> Any:
        return list(responses(store.current(name) or {}))

    return answers


def uncertainty(
    rivals: Iterable[str], names: Sequence[str], answers: Callable[[str], Any]
) -> str | None:
    """Why it is not certain which fixture is meant for a miss; None where it is.

    Args:
        rivals: the misses of the same run for which the same fixture could be meant.
        names: of the fixtures that could be meant.
        answers: as ``answers_of``.
    """
    for rival in rivals:
        return (
            f"{short(rival)} was requested in the same run and is the same but for dates and "
            "the like, so the fixture could belong to either of them."
        )
    if any(answers(name) != answers(names[0]) for name in names):
        return f"{len(names)} fixtures are possible: {', '.join(map(short, names))}."
    return None
