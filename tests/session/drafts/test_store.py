"""Drafts: kept on disk as they were typed, and never lost to what is found there."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.session.kill_store import kill_while_storing
from tests.session.support import chat, tool
from tests.strategies import TRICKY
from workbench.io.files.stamps import FileStamp
from workbench.io.state_folder import StateFolder
from workbench.session.drafts.store import FORMAT_VERSION, Draft, DraftStore

PLAIN, TOOLS = chat("Is it raining?"), chat("Is it raining?", tools=[tool()])
DIGEST = "a" * 64
OTHER = "b" * 64
TEXT = '{"response": {"content": "x"}}\n'
STAMP = FileStamp(1_795_169_362_123_456_789, 42, 7)


@pytest.fixture
def store(tmp_path: Path) -> DraftStore:
    return open_book(tmp_path)


def open_book(folder: Path, fixtures: str = "fixtures") -> DraftStore:
    """The drafts as the next session finds them."""
    return DraftStore(StateFolder(folder / ".workbench"), folder / fixtures)


def typed(digest: str = DIGEST, text: str = TEXT, **fields: Any) -> Draft:
    return Draft(digest, text, touched=True, **fields)


def recovered(folder: Path) -> dict[str, Draft]:
    store = open_book(folder)
    assert store.recover() == []
    return store.drafts


# A draft


def test_a_change_of_the_text_is_told_and_counted() -> None:
    draft = Draft(DIGEST, TEXT)
    assert not draft.set_text(TEXT)
    assert (draft.touched, draft.revision) == (False, 0)
    assert draft.set_text('{"response": {"content": "y"}}')
    assert (draft.touched, draft.revision) == (True, 1)
    assert draft.document.response == {"content": "y"}
    assert draft.set_text(TEXT)
    assert (draft.touched, draft.revision) == (False, 2)


def test_what_was_taken_back_is_no_draft_on_disk_either(tmp_path: Path) -> None:
    store = DraftStore(StateFolder(tmp_path / ".workbench"), tmp_path / "fixtures")
    draft = store.add(Draft(DIGEST, TEXT))
    draft.set_text("{}")
    store.store_changed()
    assert store.path(DIGEST).exists()
    draft.set_text(TEXT)
    store.store_changed()
    assert not store.path(DIGEST).exists()
    draft.set_text("{}")
    store.store_changed()
    assert store.path(DIGEST).exists()


def test_a_draft_of_the_last_session_stays_one() -> None:
    draft = Draft(DIGEST, TEXT, touched=True)
    draft.set_text("{}")
    draft.set_text(TEXT)
    assert draft.touched


def test_a_skeleton_made_anew_is_not_typed() -> None:
    draft = Draft(DIGEST, TEXT)
    assert draft.set_text("{}", typed=False)
    assert (draft.touched, draft.revision) == (False, 1)
    draft.set_text(TEXT)
    draft.set_text("{}", typed=False)
    assert draft.touched


# Those of other programs


def test_drafts_of_another_program_are_taken_where_nothing_was_written(tmp_path: Path) -> None:
    ours, theirs = open_book(tmp_path), open_book(tmp_path)
    ours.add(Draft(DIGEST, TEXT))  # a skeleton
    ours.add(typed(OTHER)).set_text("{}")
    ours.store(OTHER)
    for digest in (DIGEST, OTHER, "c" * 64):
        theirs.add(typed(digest, '{"response": {"content": "imported"}}'))
        theirs.store(digest)
    (theirs.folder / f"{'d' * 64}.json").write_text("no draft")
    found = ours.read_new([*os.listdir(ours.folder), f"{'e' * 64}.json", "notes.txt"])
    assert ours.take_new(found) == {DIGEST, "c" * 64}
    assert "imported" in ours.drafts[DIGEST].text
    assert ours.drafts[OTHER].text == "{}"
    assert not ours.unkept


def test_a_draft_that_is_typed_back_is_not_taken_from_its_own_file(store: DraftStore) -> None:
    draft = store.add(Draft(DIGEST, TEXT))
    draft.set_text("{}")
    store.store(DIGEST)
    draft.set_text(TEXT)  # its file is still there
    assert store.read_new([f"{DIGEST}.json"]) == []


# Keeping


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    text=st.text() | st.text(alphabet=TRICKY + "\ud83d") | st.just("null"),
    keep_lines=st.booleans(),
    base=st.none() | st.builds(FileStamp, st.integers(), st.integers(0), st.integers(0)),
)
def test_what_was_stored_is_recovered(
    tmp_path: Path, text: str, keep_lines: bool, base: FileStamp | None
) -> None:
    store = open_book(tmp_path)
    store.add(typed(text=text, keep_lines=keep_lines, base=base))
    store.store(DIGEST)
    draft = recovered(tmp_path)[DIGEST]
    assert draft.text == draft.document.text == text
    assert (draft.name, draft.base, draft.keep_lines) == (DIGEST, base, keep_lines)
    assert draft.touched


def test_several_drafts_come_back(tmp_path: Path, store: DraftStore) -> None:
    texts = {character * 64: character for character in "0123456789abcdef"}
    for digest, text in texts.items():
        store.add(typed(digest, text))
        store.store(digest)
    assert {d: draft.text for d, draft in recovered(tmp_path).items()} == texts


def test_the_last_text_is_kept(tmp_path: Path, store: DraftStore) -> None:
    draft = store.add(typed())
    for text in ("first", "a much longer second", "third"):
        draft.set_text(text)
        store.store(DIGEST)
    assert recovered(tmp_path)[DIGEST].text == "third"
    assert os.listdir(store.folder) == [f"{DIGEST}.json"]


def test_what_did_not_change_is_not_written_again(store: DraftStore) -> None:
    draft = store.add(typed())
    store.store(DIGEST)
    path = store.path(DIGEST)
    path.write_text("of another program")
    store.store(DIGEST)
    store.store_changed()
    assert path.read_text() == "of another program"
    draft.set_text("more")
    store.store_changed()
    assert json.loads(path.read_text())["text"] == "more"


def test_a_recovered_draft_is_not_written_until_it_changes(
    tmp_path: Path, store: DraftStore
) -> None:
    store.add(typed())
    store.store(DIGEST)
    again = open_book(tmp_path)
    again.recover()
    again.path(DIGEST).unlink()
    again.store_changed()
    assert not again.path(DIGEST).exists()
    again.drafts[DIGEST].set_text("more")
    again.store_changed()
    assert recovered(tmp_path)[DIGEST].text == "more"


def test_all_that_changed_are_stored(tmp_path: Path, store: DraftStore) -> None:
    for character in "abc":
        store.add(typed(character * 64, character))
    store.add(Draft("d" * 64, "untouched"))
    store.store_changed()
    assert {d[0]: draft.text for d, draft in recovered(tmp_path).items()} == {
        "a": "a",
        "b": "b",
        "c": "c",
    }


def test_typing_and_saving_go_on_while_a_thread_stores(tmp_path: Path, store: DraftStore) -> None:
    done = threading.Event()
    failures: list[BaseException] = []

    def keep() -> None:
        try:
            while not done.is_set():
                store.store_changed()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=keep)
    thread.start()
    try:
        for number in range(300):
            digest = f"{number % 7:064x}"
            draft = store.get(digest) or store.add(Draft(digest, ""))
            draft.set_text(str(number))
            if number % 5 == 0:
                store.remove(digest)
    finally:
        done.set()
        thread.join()
    assert failures == []
    store.store_changed()
    # Nothing that was removed came back, and what is left is its last text.
    texts = {digest: draft.text for digest, draft in store.drafts.items()}
    assert {d: draft.text for d, draft in recovered(tmp_path).items()} == texts


def test_what_nobody_touched_is_not_kept(tmp_path: Path, store: DraftStore) -> None:
    store.add(Draft(DIGEST, TEXT))
    store.store(DIGEST)
    store.store(OTHER)
    assert not (tmp_path / ".workbench").exists()
    assert recovered(tmp_path) == {}


def test_drafts_are_for_their_owner_alone_and_not_for_git(
    tmp_path: Path, store: DraftStore
) -> None:
    store.add(typed())
    store.store(DIGEST)
    state = tmp_path / ".workbench"
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert (state / ".gitignore").read_text() == "*\n"


def test_a_removed_draft_does_not_come_back(tmp_path: Path, store: DraftStore) -> None:
    draft = store.add(typed())
    store.store(DIGEST)
    assert store.remove(DIGEST) is draft
    assert store.get(DIGEST) is None
    assert recovered(tmp_path) == {}
    assert store.remove(DIGEST) is None


def test_a_draft_whose_file_cannot_go_is_forgotten_all_the_same(store: DraftStore) -> None:
    store.add(typed())
    (store.path(DIGEST) / "in the way").mkdir(parents=True)
    with pytest.raises(OSError, match=r"directory|permitted"):
        store.remove(DIGEST)
    assert store.get(DIGEST) is None


def test_saving_leaves_the_draft_of_another_application(tmp_path: Path) -> None:
    ours, theirs = open_book(tmp_path), open_book(tmp_path)
    for store, text in ((ours, "ours"), (theirs, "theirs")):
        store.add(typed(text=text))
        store.store(DIGEST)
    ours.remove(DIGEST)
    assert recovered(tmp_path)[DIGEST].text == "theirs"
    theirs.remove(DIGEST)
    assert recovered(tmp_path) == {}


def test_a_draft_whose_file_another_application_deleted_is_written_again(tmp_path: Path) -> None:
    ours, theirs = open_book(tmp_path), open_book(tmp_path)
    for store, text in ((theirs, "theirs"), (ours, "ours")):
        store.add(typed(text=text))
        store.store(DIGEST)
    ours.remove(DIGEST)
    theirs.store_changed()  # as on quitting
    assert recovered(tmp_path)[DIGEST].text == "theirs"


def test_a_draft_that_was_taken_from_another_program_goes_with_its_answer(tmp_path: Path) -> None:
    ours, theirs = open_book(tmp_path), open_book(tmp_path)
    ours.add(typed())
    ours.store(DIGEST)
    ours.remove(DIGEST)
    theirs.add(typed(text="imported"))
    theirs.store(DIGEST)
    assert ours.take_new(ours.read_new([f"{DIGEST}.json"])) == {DIGEST}
    ours.remove(DIGEST)
    ours.store_changed()
    assert recovered(tmp_path) == {}


# Whose drafts


def test_another_fixtures_folder_has_other_drafts(tmp_path: Path, store: DraftStore) -> None:
    store.add(typed())
    store.store(DIGEST)
    other = open_book(tmp_path, "other")
    assert other.recover() == []
    assert other.drafts == {}
    other.add(typed(text="of the other"))
    other.store(DIGEST)
    assert recovered(tmp_path)[DIGEST].text == TEXT


def test_a_folder_has_its_drafts_however_it_is_named(
    tmp_path: Path, store: DraftStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(typed())
    store.store(DIGEST)
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("fixtures")
    monkeypatch.chdir(tmp_path / "fixtures")
    state = StateFolder(tmp_path / ".workbench")
    for name in (".", "../fixtures", str(tmp_path / "elsewhere" / ".." / "fixtures"), "../link"):
        again = DraftStore(state, Path(name))
        again.recover()
        assert list(again.drafts) == [DIGEST]


# What is found at the start


def broken_file(store: DraftStore, data: bytes | str, digest: str = DIGEST) -> Path:
    store.folder.mkdir(parents=True, exist_ok=True)
    path = store.path(digest)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def record(**changes: object) -> str:
    fields = {
        "version": FORMAT_VERSION,
        "digest": DIGEST,
        "base": None,
        "keep_lines": False,
        "text": TEXT,
        **changes,
    }
    return json.dumps(fields)


BROKEN = {
    "empty": "",
    "cut": record()[:40],
    "a list": "[]",
    "null": "null",
    "not UTF-8": b'{"text": "\xff"}',
    "no keys": "{}",
    "100,000 deep": "[" * 100_000,
    "a number too long": "9" * 5000,
    "text is a number": record(text=5),
    "version is a text": record(version="1"),
    "digest is a number": record(digest=5),
    "no digest": record(digest="x"),
    "the digest of another": record(digest=OTHER),
    "base is a list": record(base=[1]),
    "base is of another shape": record(base={"size": 1}),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_put_aside_and_told(
    tmp_path: Path, store: DraftStore, data: bytes | str
) -> None:
    path = broken_file(store, data)
    whole = store.add(typed(OTHER, "whole"))
    store.store(OTHER)

    again = open_book(tmp_path)
    (bad,) = again.recover()
    assert bad == path.with_suffix(".bad")
    assert bad.read_bytes() == (data.encode() if isinstance(data, str) else data)
    assert not path.exists()
    assert {d: draft.text for d, draft in again.drafts.items()} == {OTHER: whole.text}
    assert open_book(tmp_path).recover() == []


def test_a_pipe_among_the_drafts_is_not_waited_for(store: DraftStore) -> None:
    path = broken_file(store, "")
    path.unlink()
    os.mkfifo(path)
    assert list(store.read_new([path.name])) == []
    assert store.recover() == [path.with_suffix(".bad")]


def test_a_draft_of_a_newer_format_is_refused_and_kept(store: DraftStore) -> None:
    text = record(version=FORMAT_VERSION + 1, more={"a": 1})
    path = broken_file(store, text)
    assert store.recover() == [path.with_suffix(".bad")]
    assert path.with_suffix(".bad").read_text() == text
    assert store.drafts == {}


def test_a_broken_file_does_not_displace_the_one_before(tmp_path: Path, store: DraftStore) -> None:
    kept = []
    for number in range(3):
        broken_file(store, f"broken {number}")
        (bad,) = open_book(tmp_path).recover()
        kept.append(bad)
    assert [path.read_text() for path in kept] == ["broken 0", "broken 1", "broken 2"]


def test_a_file_under_no_digest_is_put_aside(tmp_path: Path, store: DraftStore) -> None:
    broken_file(store, record())
    path = store.path(DIGEST).rename(store.folder / "copy.json")
    (bad,) = open_book(tmp_path).recover()
    assert bad == path.with_suffix(".bad")


def test_other_files_are_left_alone(tmp_path: Path, store: DraftStore) -> None:
    broken_file(store, record())
    (store.folder / "notes.txt").write_text("mine")
    (store.folder / f"{OTHER}.bad").write_text("bad")
    assert list(recovered(tmp_path)) == [DIGEST]
    assert (store.folder / "notes.txt").read_text() == "mine"
    assert (store.folder / f"{OTHER}.bad").read_text() == "bad"


def test_without_a_folder_there_is_nothing(tmp_path: Path, store: DraftStore) -> None:
    assert store.recover() == []
    (tmp_path / ".workbench").write_text("a file in its place")
    assert store.recover() == []
    store.add(typed())
    with pytest.raises(OSError, match="workbench"):
        store.store(DIGEST)
    assert store.get(DIGEST) is not None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root becomes somebody else")
def test_a_folder_of_somebody_else_stops_nothing() -> None:
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from workbench.io.state_folder import StateFolder\n"
        "from workbench.session.drafts.store import DraftStore\n"
        "os.setuid(65534)\n"
        "folder = Path(sys.argv[1])\n"
        "store = DraftStore(StateFolder(folder / '.workbench'), folder / 'fixtures')\n"
        "print(store.recover(), store.drafts)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        store = open_book(Path(folder))
        store.add(typed())
        store.store(DIGEST)
        command = [sys.executable, "-c", code, folder]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("[] {}\n", "")


# Being killed


def test_a_killed_store_leaves_the_old_draft_or_the_new(tmp_path: Path) -> None:
    kill_while_storing(tmp_path, 4)
