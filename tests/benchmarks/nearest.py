"""Row 24: the nearest fixture of a 10 KB miss among 10,000."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any

from tests.benchmarks.place import Place
from tests.benchmarks.table import Row, median
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.requests.differences import ReadRequest
from workbench.io.fixture.nearest_search import NearestIndex
from workbench.io.fixture.store import FixtureStore

FIXTURES = 10_000
AGENTS = 5
ASKED = 20


def _text(chance: random.Random, size: int) -> str:
    words = ["".join(chance.choices("aeinorst", k=chance.randint(2, 9))) for _ in range(size // 6)]
    return " ".join(words)


@cache
def _agents() -> list[str]:
    return [_text(random.Random(number), 8_000) for number in range(AGENTS)]


def _request(number: int, day: int, more: str = "") -> dict[str, Any]:
    """About 10 KB: an agent's instructions with the date, and a question."""
    system = f"Today is 2026-11-{day}. {_agents()[number % AGENTS]}"
    question = f"Item {number}: {_text(random.Random(number), 1_500)}{more}"
    said = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    return {"model": "gpt-4o", "messages": said}


_books: dict[Place, NearestIndex] = {}


def _index(place: Place) -> NearestIndex:
    """A folder of yesterday's fixtures, read."""
    if place not in _books:
        folder = place.folder / "many-fixtures"
        folder.mkdir()
        for number in range(FIXTURES):
            payload = _request(number, 19)
            found = digest(payload)
            text = new_document(found, {"content": "x"}, request=payload).text
            (folder / f"{found}.json").write_text(text, "utf-8")
        _books[place] = NearestIndex(FixtureStore(folder))
        _books[place].refresh()
    return _books[place]


_asked = count()


def _seconds(ask: Callable[[dict[str, Any]], object], more: str = "") -> float:
    """The median time to ask for requests that were not asked for lately."""
    taken = []
    for _ in range(ASKED):
        number = next(_asked)
        payload = _request(number * 37 % FIXTURES, 20 + number % 10, more)
        begun = time.perf_counter()
        assert ask(payload)
        taken.append(time.perf_counter() - begun)
    return median(taken)


def lookup(place: Place) -> float:
    index = _index(place)
    return _seconds(
        lambda payload: index.same_but_volatile(ReadRequest(view(payload)).masked_digest)
    )


def another_day(place: Place) -> float:
    index = _index(place)
    return _seconds(lambda payload: index.nearest("", view(payload)))


def another_request(place: Place) -> float:
    index = _index(place)
    return _seconds(lambda payload: index.nearest("", view(payload)), " And something more.")


ROWS = [
    Row(24, "nearest of 10,000, another day", "masked lookup", 2.0, another_day, lookup),
    Row(24, "nearest of 10,000, another request", "", 0.15, another_request, None, "s"),
]
