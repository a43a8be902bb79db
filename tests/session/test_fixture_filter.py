"""The filter of the fixture list, and its order."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.fixtures.findings import Finding
from workbench.io.store import FixtureStore
from workbench.session.fixture_book import FixtureBook, FixtureEntry
from workbench.session.fixture_filter import parse
from workbench.session.fixture_listing import FIXTURE_SORTS, FixtureListing
from workbench.session.misses import Hits
from workbench.session.terms import FilterError

ONE = FixtureEntry(
    f"{'1' * 64}.json",
    "1" * 64,
    (Finding("missing-index", "warning", "x"),),
    "weather in London?",
    "a note",
    model="gpt-4o-mini",
    tools=frozenset({"get_weather"}),
)
TWO = FixtureEntry(f"{'2' * 64}.json", "2" * 64, (Finding("usage-shape", "error", "x"),), "b", "")
BROKEN = FixtureEntry(f"{'3' * 64}.json", "3" * 64, (), "", "", is_broken=True)
BAD_NAME = FixtureEntry("notes.json", None, (Finding("bad-filename", "warning", "x"),), "", "")
FINE = FixtureEntry(f"{'4' * 64}.json", "4" * 64, (), "a", "")
ALL = [ONE, TWO, BROKEN, BAD_NAME, FINE]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ALL),
        ("LONDON", [ONE]),
        ("1111", [ONE]),
        ("note", [ONE, BAD_NAME]),
        ("is:warning", [ONE]),
        ("is:warnings", [ONE]),
        ("is:bad", [BAD_NAME]),
        ("state:broken", [BROKEN]),
        ("is:b", [BROKEN, BAD_NAME]),
        ("-is:fine -is:broken", [ONE, TWO, BAD_NAME]),
        ("rule:missing", [ONE]),
        ("model:MINI", [ONE]),
        ("tool:weather", [ONE]),
        ('"weather in"', [ONE]),
        ("http://x", []),
    ],
)
def test_what_matches(text: str, found: list[FixtureEntry]) -> None:
    wanted = parse(text)
    assert [entry for entry in ALL if wanted.matches(entry)] == found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("is:odd", "is: takes one of"),
        ("is:", "is: takes one of"),
        ("rule:", "rule: takes a part of a name"),
        ("modle:x", "There is no modle: to filter by. Is it model: ?"),
    ],
)
def test_what_means_nothing(text: str, says: str) -> None:
    with pytest.raises(FilterError, match="^" + says.replace("?", r"\?")):
        parse(text)


@given(st.text(max_size=30))
def test_any_text_is_a_filter_or_means_nothing(text: str) -> None:
    with contextlib.suppress(FilterError):
        wanted = parse(text)
        assert all(isinstance(wanted.matches(entry), bool) for entry in ALL)


@pytest.fixture
def listing(tmp_path: Path) -> FixtureListing:
    book = FixtureBook(FixtureStore(tmp_path))
    book.apply((entry.name, entry) for entry in reversed(ALL))
    return FixtureListing(book, {"1" * 64: Hits(2, "2026-11-20T10:00:00"), "2" * 64: Hits(1)})


def test_the_orders(listing: FixtureListing) -> None:
    found = {}
    for sort in FIXTURE_SORTS:
        listing.sort = sort
        found[sort] = [name[0] for name in listing.names()]
    assert found == {
        "file": ["1", "2", "3", "4", "n"],
        "findings": ["3", "2", "1", "4", "n"],
        "last hit": ["2", "3", "4", "1", "n"],
        "answers": ["4", "2", "1", "3", "n"],
    }


def test_only_the_unused(listing: FixtureListing) -> None:
    listing.only_unused = True
    assert listing.names() == [BROKEN.name, FINE.name]


def test_kinds_are_counted_whatever_is_shown(listing: FixtureListing) -> None:
    listing.filter = parse("is:fine")
    assert listing.counts() == {"bad name": 1, "broken": 1, "error": 1, "warning": 1, "fine": 1}
