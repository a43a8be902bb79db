"""Fixtures found by equivalent requests follow what happens to their files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.equivalent_requests import conversation
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.io.equivalents import EquivalentFixtures
from workbench.io.store import FixtureStore

STUB, OPENAI = conversation("stub"), conversation("openai")
LONG_AGO = 1_000_000_000


@pytest.fixture
def fixtures(tmp_path: Path) -> EquivalentFixtures:
    return EquivalentFixtures(FixtureStore(tmp_path / "fixtures"))


def write(folder: Path, request: dict[str, Any], content: str = "Yes.") -> Path:
    """A fixture. The folder looks as if nothing had happened to it for long: only what is looked
    at is seen.
    """
    folder.mkdir(exist_ok=True)
    file = folder / f"{digest(request)}.json"
    file.write_text(json.dumps({"request": request, "response": {"content": content}}))
    os.utime(file, (LONG_AGO + len(content), LONG_AGO + len(content)))
    return file


def settle(folder: Path, at: int) -> None:
    os.utime(folder, (LONG_AGO + at, LONG_AGO + at))


def content(fixtures: EquivalentFixtures, request: dict[str, Any]) -> Any:
    found = fixtures.load(view(request))
    return found and found[1]["response"]["content"]


def test_it_follows_files_that_come_change_and_go(
    fixtures: EquivalentFixtures, tmp_path: Path
) -> None:
    folder = tmp_path / "fixtures"
    assert content(fixtures, OPENAI) is None  # there is no folder
    file = write(folder, STUB)
    settle(folder, 1)
    assert content(fixtures, OPENAI) == "Yes."
    write(folder, STUB, "Yes, it is.")
    settle(folder, 1)
    assert content(fixtures, OPENAI) == "Yes, it is."
    file.unlink()
    settle(folder, 2)
    assert content(fixtures, OPENAI) is None
    write(folder, STUB)
    settle(folder, 3)
    assert content(fixtures, OPENAI) == "Yes."


def test_a_file_that_is_half_written_is_read_again(
    fixtures: EquivalentFixtures, tmp_path: Path
) -> None:
    folder = tmp_path / "fixtures"
    file = write(folder, STUB)
    whole = file.read_bytes()
    file.write_bytes(whole[:20])
    os.utime(file, (LONG_AGO, LONG_AGO))
    settle(folder, 1)
    assert content(fixtures, OPENAI) is None
    file.write_bytes(whole)
    settle(folder, 1)
    assert content(fixtures, OPENAI) == "Yes."


def test_a_request_changed_in_place_is_not_answered_any_more(
    fixtures: EquivalentFixtures, tmp_path: Path
) -> None:
    folder = tmp_path / "fixtures"
    file = write(folder, STUB)
    settle(folder, 1)
    assert content(fixtures, OPENAI) == "Yes."
    other = {"request": conversation("stub", said="?"), "response": {"content": "No."}}
    file.write_text(json.dumps(other))
    settle(folder, 1)
    assert content(fixtures, OPENAI) is None


def test_its_own_fixture_does_not_count_and_one_that_is_broken_makes_way(
    fixtures: EquivalentFixtures, tmp_path: Path
) -> None:
    folder = tmp_path / "fixtures"
    first, second = sorted([STUB, conversation("openai", ids=("call_a",))], key=digest)
    write(folder, first, "first")
    write(folder, second, "second")
    assert content(fixtures, first) == "second"
    third = {**second, "messages": [{"name": None, **m} for m in second["messages"]]}
    assert content(fixtures, third) == "first"
    (folder / f"{digest(first)}.json").write_text("{")
    assert content(fixtures, third) == "second"
