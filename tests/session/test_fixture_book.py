"""The fixtures of a folder, each with what was found in it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests import reference
from tests.session.support import chat
from workbench.core.digest import digest
from workbench.core.fixtures.document import new_document
from workbench.io.store import FixtureStore
from workbench.session.fixture_book import FixtureBook, FixtureEntry
from workbench.session.fixture_listing import FixtureListing

DIGEST = digest(chat("weather?"))
NAME = f"{DIGEST}.json"


@pytest.fixture
def book(tmp_path: Path) -> FixtureBook:
    return FixtureBook(FixtureStore(tmp_path))


def examined(book: FixtureBook, folder: Path, data: bytes | str, name: str = NAME) -> FixtureEntry:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    entry = book.examine(name)
    assert entry is not None
    return entry


def listed(book: FixtureBook) -> list[str]:
    return FixtureListing(book, {}).names()


def test_the_reference_fixtures() -> None:
    store = FixtureStore(reference.AGENT_FIXTURES)
    book = FixtureBook(store)
    book.apply((name, book.examine(name)) for name in store.names())
    assert listed(book) == store.names()
    for name, entry in book.entries.items():
        assert (entry.name, entry.digest) == (name, name.removesuffix(".json"))
        assert not entry.is_broken
        assert entry.count("error") == 0
        assert (entry.answers, entry.description) == ("", "auto")


def test_a_fixture_of_ours_says_what_it_answers(book: FixtureBook, tmp_path: Path) -> None:
    document = new_document(DIGEST, {"content": "x"}, description="note", request=chat("weather?"))
    entry = examined(book, tmp_path, document.text)
    assert entry == FixtureEntry(
        NAME, DIGEST, (), "weather?", "note", turn=1, model="gpt-4o", tools=frozenset()
    )


def test_findings_are_counted(book: FixtureBook, tmp_path: Path) -> None:
    response = {"content": [], "finish_reason": "odd", "tool_calls": "x"}
    entry = examined(book, tmp_path, json.dumps({"response": response, "zz": 1}))
    assert entry.count("error") == 2
    assert entry.count("warning") == 2
    assert not entry.is_broken


BROKEN: dict[str, tuple[bytes | str, str]] = {
    "empty": ("", "invalid-json"),
    "cut": ('{"response": {', "invalid-json"),
    "a list": ("[]", "not-an-object"),
    "a byte order mark": ("\ufeff{}", "not-utf8"),
    "not UTF-8": (b'{"a": "\xe9"}', "not-utf8"),
    "a merge conflict": ("{\n<<<<<<< HEAD\n}", "invalid-json"),
    "100,000 deep": ("[" * 100_000, "invalid-json"),
}


@pytest.mark.parametrize(("data", "rule"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_an_entry(
    book: FixtureBook, tmp_path: Path, data: bytes | str, rule: str
) -> None:
    entry = examined(book, tmp_path, data)
    assert entry.is_broken
    assert [finding.rule for finding in entry.findings] == [rule]
    assert (entry.answers, entry.description) == ("", "")


@pytest.mark.parametrize(
    "text",
    ['{"response": {"content": "x"}, "_n": NaN}', '{"response": {"content": "x"}, "request": 5}'],
)
def test_what_the_server_can_send_is_not_broken(
    book: FixtureBook, tmp_path: Path, text: str
) -> None:
    entry = examined(book, tmp_path, text)
    assert not entry.is_broken
    assert entry.count("error") == 1


def test_what_the_server_can_make_no_reply_of_is_broken(book: FixtureBook, tmp_path: Path) -> None:
    for response in ('{"content": 5}', '{"content": "x", "usage": 5}', "[1]"):
        assert examined(book, tmp_path, f'{{"response": {response}}}').is_broken


def test_names_that_are_no_digest_come_last(book: FixtureBook, tmp_path: Path) -> None:
    names = ["notes.json", f"{'f' * 64}.json", "0.json", NAME]
    for name in names:
        book.apply([(name, examined(book, tmp_path, "{}", name))])
    assert listed(book) == [*sorted([NAME, f"{'f' * 64}.json"]), "0.json", "notes.json"]
    assert book.entries["notes.json"].digest is None
    assert "bad-filename" in {f.rule for f in book.entries["notes.json"].findings}


def test_a_file_that_is_gone_leaves(book: FixtureBook, tmp_path: Path) -> None:
    book.apply([(NAME, examined(book, tmp_path, "{}"))])
    (tmp_path / NAME).unlink()
    assert book.examine(NAME) is None
    book.apply([(NAME, None), ("never.json", None)])
    assert listed(book) == []


def test_a_file_that_cannot_be_read_says_so(book: FixtureBook, tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    (tmp_path / "loop.json").symlink_to("loop.json")
    for name, found in ((NAME, DIGEST), ("loop.json", None)):
        entry = book.examine(name)
        assert entry is not None
        assert (entry.digest, entry.is_broken) == (found, True)
        assert "cannot be read" in entry.findings[0].message


def test_what_changed_is_seen(book: FixtureBook, tmp_path: Path) -> None:
    for content in ("one", "two"):
        text = new_document(DIGEST, {"content": content}, description=content).text
        book.apply([(NAME, examined(book, tmp_path, text))])
        assert book.entries[NAME].description == content


def test_long_texts_are_cut(book: FixtureBook, tmp_path: Path) -> None:
    long = "x" * 100_000
    document = new_document(DIGEST, {"content": long}, description=long, request=chat(long))
    entry = examined(book, tmp_path, document.text)
    assert len(entry.answers) == len(entry.description) == 400


def test_a_request_of_any_shape_is_no_trouble(book: FixtureBook, tmp_path: Path) -> None:
    for request in ("5", "[]", '{"messages": 5}', '{"messages": [5, {"role": "user"}]}'):
        text = f'{{"description": 5, "response": {{"content": ""}}, "request": {request}}}'
        entry = examined(book, tmp_path, text)
        assert (entry.answers, entry.description) == ("", "")


def test_ten_megabytes_are_examined(book: FixtureBook, tmp_path: Path) -> None:
    entry = examined(book, tmp_path, json.dumps({"response": {"content": "x" * 10_000_000}}))
    assert entry.count("error") == 0
    assert os.path.getsize(tmp_path / NAME) > 10_000_000
