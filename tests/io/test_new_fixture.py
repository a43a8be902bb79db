"""A recorded reply is saved as a fixture, or as a variant in the one that is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.session.support import chat, tool
from workbench.core.digest import digest
from workbench.core.fixtures.document import new_document
from workbench.io.new_fixture import save_new
from workbench.io.store import FixtureChangedError, FixtureStore

PLAIN, TOOLS = chat("weather?"), chat("weather?", tools=[tool()])
DIGEST = digest(PLAIN)


@pytest.fixture
def store(tmp_path: Path) -> FixtureStore:
    return FixtureStore(tmp_path / "fixtures")


def save(store: FixtureStore, request: dict[str, Any] | None, said: str, **more: bool) -> None:
    save_new(store, DIGEST, new_document(DIGEST, {"content": said}, request=request), **more)


def test_another_request_of_the_digest_becomes_a_variant(store: FixtureStore) -> None:
    save(store, PLAIN, "Rain.")
    save(store, TOOLS, "Let me look.", dry_run=True)
    assert "variants" not in (store.load(DIGEST) or {})
    save(store, TOOLS, "Let me look.")
    found = dict(store.load(DIGEST) or {})
    assert found["response"] == {"content": "Rain."}
    assert found["variants"] == [{"request": TOOLS, "response": {"content": "Let me look."}}]


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize(
    ("request_", "said"), [(PLAIN, "Sun."), (TOOLS, "Rain."), (None, "Sun.")], ids=str
)
def test_what_has_an_answer_stays_as_it_is(
    store: FixtureStore, request_: dict[str, Any] | None, said: str, dry_run: bool
) -> None:
    save(store, PLAIN, "Rain.")
    before = store.read(DIGEST)
    with pytest.raises(FixtureChangedError):
        save(store, request_, said, dry_run=dry_run)
    assert store.read(DIGEST) == before


def test_a_broken_file_stays_as_it_is(store: FixtureStore) -> None:
    store.save(DIGEST, b"{", expected=None)
    with pytest.raises(FixtureChangedError):
        save(store, TOOLS, "Let me look.")
    assert store.read(DIGEST) == b"{"
