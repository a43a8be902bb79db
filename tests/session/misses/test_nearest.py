"""The nearest fixture of a folder, while its files change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.session.support import chat
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixtures.document import new_document
from workbench.io.fixtures.store import FixtureStore
from workbench.session.misses.nearest import NearestIndex

TODAY = chat("Today is 2026-11-20 and it is 17:02.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "fixtures"
    folder.mkdir()
    return folder


@pytest.fixture
def index(folder: Path) -> NearestIndex:
    return NearestIndex(FixtureStore(folder))


def store(folder: Path, payload: dict[str, Any], answer: str = "an answer") -> str:
    found = digest(payload)
    text = new_document(found, {"content": answer}, request=payload).text
    (folder / f"{found}.json").write_text(text)
    return found


def nearest(index: NearestIndex, payload: dict[str, Any]) -> str | None:
    found = index.nearest(digest(payload), view(payload))
    return found.digest if found is not None else None


def test_it_follows_the_files(folder: Path, index: NearestIndex) -> None:
    assert index.refresh() == set()
    assert nearest(index, TODAY) is None
    yesterday = store(folder, chat("Today is 2026-11-19 and it is 17:02."))
    concerned = index.refresh()
    assert len(concerned) == 1
    assert index.refresh() == set()
    assert nearest(index, TODAY) == yesterday
    (folder / f"{yesterday}.json").write_text(json.dumps({"request": chat("something else")}))
    assert concerned < index.take([yesterday, "README", "workbench-ignore.txt"])
    assert nearest(index, TODAY) is None
    store(folder, chat("Today is 2026-11-19 and it is 17:02."))
    (folder / f"{yesterday}.json").unlink()
    assert index.refresh()
    assert nearest(index, TODAY) is None
    assert (len(index), index.without_request) == (0, 0)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"request": []}', '{"request": ' + '{"a":' * 500 + "1" + "}" * 501,
     '{"description": 5, "request": null}', '{"request": {"messages": "none"}}'],
)  # fmt: skip
def test_a_file_of_any_making_is_passed_over(folder: Path, index: NearestIndex, text: str) -> None:
    (folder / f"{'a' * 64}.json").write_text(text)
    (folder / "notes.json").write_text(text)
    yesterday = store(folder, chat("Today is 2026-11-19 and it is 17:02."))
    index.refresh()
    assert nearest(index, TODAY) == yesterday


def test_a_comment_suggests_a_fixture_without_request(folder: Path, index: NearestIndex) -> None:
    value = {"_comment": "Answers 'please water the plants on my balcony'", "response": {}}
    (folder / f"{'a' * 64}.json").write_text(json.dumps(value))
    index.refresh()
    assert index.without_request == 1
    asked = chat("please water the plants on my balcony")
    found = index.nearest(digest(asked), view(asked))
    assert found is not None
    assert (found.digest, found.is_guess) == ("a" * 64, True)


def test_same_but_for_some_kinds(folder: Path, index: NearestIndex) -> None:
    yesterday = store(folder, chat("Today is 2026-11-19 and it is 17:02."))
    other_time = chat("Today is 2026-11-20 and it is 09:41.")
    index.refresh()

    def found(payload: dict[str, Any], *kinds: Any) -> str | None:
        one = index.same_but_for(digest(payload), view(payload), kinds)
        return one.digest if one is not None else None

    assert found(TODAY, "date") == yesterday
    assert found(TODAY, "time", "uuid") is None
    assert found(other_time, "date") is None
    assert found(other_time, "date", "time") == yesterday
    store(folder, chat("Today is 2026-11-18 and it is 17:02."))
    index.refresh()
    assert found(TODAY, "date") is None  # it could be either


def test_a_folder_that_is_not_there_has_no_nearest(tmp_path: Path) -> None:
    index = NearestIndex(FixtureStore(tmp_path / "none"))
    assert index.refresh() == set()
    assert nearest(index, TODAY) is None
