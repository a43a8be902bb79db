"""The fixtures folder: what is in it, and never a silent overwrite."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.reference import AGENT_FIXTURES
from workbench.core.replies.response import FixtureError
from workbench.io import store as module
from workbench.io.store import FileStamp, FixtureChangedError, FixtureStore

DIGEST = "a" * 64
OTHER = "b" * 64


def fixture(content: str) -> bytes:
    return json.dumps({"response": {"content": content}}).encode()


def content(store: FixtureStore, digest: str = DIGEST) -> object:
    value = store.load(digest)
    assert value is not None
    return value["response"]["content"]


@pytest.fixture
def store(tmp_path: Path) -> FixtureStore:
    return FixtureStore(tmp_path / "fixtures")


def test_reads_the_reference_fixtures() -> None:
    store = FixtureStore(AGENT_FIXTURES)
    files = {path.stem: json.loads(path.read_bytes()) for path in AGENT_FIXTURES.iterdir()}
    assert store.digests() == set(files)
    assert {digest: store.load(digest) for digest in store.digests()} == files


def test_a_folder_that_is_not_there_is_empty(store: FixtureStore) -> None:
    assert store.names() == []
    assert store.digests() == set()
    assert store.load(DIGEST) is None
    assert store.read(DIGEST) is None
    assert store.stamp(DIGEST) is None
    assert not store.folder.exists()


def test_a_folder_that_may_not_be_looked_into_has_no_files(store: FixtureStore) -> None:
    store.folder.symlink_to(store.folder)
    assert store.stamp(DIGEST) is None
    with pytest.raises(FixtureError, match="cannot be read"):
        store.load(DIGEST)
    with pytest.raises(OSError, match=r"symbolic links|exists"):
        store.save(DIGEST, fixture("x"), expected=None)


def test_a_name_that_leads_nowhere_hides_no_other(store: FixtureStore) -> None:
    store.save(DIGEST, fixture("x"), expected=None)
    store.path(OTHER).symlink_to(store.path(OTHER))
    assert store.digests() == {DIGEST, OTHER}
    with pytest.raises(FixtureError, match="cannot be read"):
        store.load(OTHER)


def test_a_file_in_its_place_is_empty_too(store: FixtureStore) -> None:
    store.folder.write_bytes(b"a file")
    assert store.names() == []
    assert store.load(DIGEST) is None
    assert store.stamp(DIGEST) is None


@pytest.mark.parametrize("name", ["", "a" * 63, "A" * 64, "../" + "a" * 61, "a" * 63 + "\n"])
def test_only_digests_have_files(store: FixtureStore, name: str) -> None:
    with pytest.raises(ValueError, match="not a digest"):
        store.path(name)


def test_names_tells_all_json_files_and_digests_the_fixtures(store: FixtureStore) -> None:
    store.folder.mkdir()
    for name in [f"{DIGEST}.json", "notes.json", "workbench-ignore.txt", f"{OTHER}.txt"]:
        (store.folder / name).touch()
    (store.folder / f"{OTHER}.json").mkdir()
    assert store.names() == [f"{DIGEST}.json", "notes.json"]
    assert store.digests() == {DIGEST}


def test_the_first_save_creates_the_folder(store: FixtureStore) -> None:
    stamp = store.save(DIGEST, fixture("x"), expected=None)
    assert stamp == store.stamp(DIGEST)
    assert store.read(DIGEST) == fixture("x")
    assert os.listdir(store.folder) == [f"{DIGEST}.json"]


def test_saves_follow_each_other(store: FixtureStore) -> None:
    stamp = None
    for number in range(5):
        stamp = store.save(DIGEST, fixture(str(number)), expected=stamp)
        assert content(store) == str(number)


def test_a_file_that_appeared_is_not_overwritten(store: FixtureStore) -> None:
    store.folder.mkdir()
    store.path(DIGEST).write_bytes(fixture("theirs"))
    with pytest.raises(FixtureChangedError, match="changed by another program") as caught:
        store.save(DIGEST, fixture("ours"), expected=None)
    assert caught.value.now == store.stamp(DIGEST)
    assert content(store) == "theirs"


def test_a_changed_file_is_not_overwritten(store: FixtureStore) -> None:
    stamp = store.save(DIGEST, fixture("old"), expected=None)
    store.path(DIGEST).write_bytes(fixture("theirs"))
    with pytest.raises(FixtureChangedError) as caught:
        store.save(DIGEST, fixture("ours"), expected=stamp)
    assert content(store) == "theirs"
    store.save(DIGEST, fixture("ours all the same"), expected=caught.value.now)
    assert content(store) == "ours all the same"


def test_a_deleted_file_does_not_come_back_unasked(store: FixtureStore) -> None:
    stamp = store.save(DIGEST, fixture("old"), expected=None)
    store.path(DIGEST).unlink()
    with pytest.raises(FixtureChangedError, match="deleted by another program") as caught:
        store.save(DIGEST, fixture("ours"), expected=stamp)
    assert caught.value.now is None
    assert os.listdir(store.folder) == []


@pytest.mark.parametrize("exists", [True, False])
def test_of_many_who_save_at_once_one_wins(store: FixtureStore, exists: bool) -> None:
    for _ in range(10):
        store.path(DIGEST).unlink(missing_ok=True)
        expected = store.save(DIGEST, fixture("old"), expected=None) if exists else None
        start = threading.Barrier(2)

        def save(
            number: int,
            start: threading.Barrier = start,
            expected: FileStamp | None = expected,
        ) -> FileStamp | None:
            start.wait()
            try:
                return store.save(DIGEST, fixture(f"number {number}"), expected=expected)
            except FixtureChangedError:
                return None

        with ThreadPoolExecutor(2) as pool:
            won = [stamp for stamp in pool.map(save, range(2)) if stamp]
        # Between the last look and the rename of a file that exists is a moment that cannot be
        # closed: both may win then, and the one who came second is told at the next save.
        assert len(won) == 1 or exists
        assert store.stamp(DIGEST) in won
    assert os.listdir(store.folder) == [f"{DIGEST}.json"]


def test_deletes_what_was_seen(store: FixtureStore) -> None:
    stamp = store.save(DIGEST, fixture("x"), expected=None)
    store.delete(DIGEST, expected=stamp)
    assert store.load(DIGEST) is None
    store.delete(DIGEST, expected=None)


def test_does_not_delete_what_was_changed(store: FixtureStore) -> None:
    stamp = store.save(DIGEST, fixture("x"), expected=None)
    store.path(DIGEST).write_bytes(fixture("theirs"))
    with pytest.raises(FixtureChangedError):
        store.delete(DIGEST, expected=stamp)
    assert content(store) == "theirs"


def test_a_folder_that_cannot_be_written_leaves_nothing_behind(store: FixtureStore) -> None:
    store.folder.write_bytes(b"a file in its place")
    with pytest.raises(OSError, match="fixtures"):
        store.save(DIGEST, fixture("x"), expected=None)
    assert os.listdir(store.folder.parent) == ["fixtures"]
    assert store.folder.read_bytes() == b"a file in its place"


def test_loads_again_after_every_change(store: FixtureStore) -> None:
    store.folder.mkdir()
    for number in range(1000, 1050):
        store.path(DIGEST).write_bytes(fixture(str(number)))
        assert content(store) == str(number)


def test_loads_again_after_a_change_that_the_clock_is_too_slow_for(
    store: FixtureStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_TICK_NS", 3600 * 10**9)  # as if less than a tick passed
    store.folder.mkdir()
    store.path(DIGEST).write_bytes(fixture("one"))
    status = store.path(DIGEST).stat()
    assert content(store) == "one"
    store.path(DIGEST).write_bytes(fixture("two"))
    os.utime(store.path(DIGEST), ns=(status.st_atime_ns, status.st_mtime_ns))
    assert content(store) == "two"


def test_an_unchanged_file_is_not_read_again(store: FixtureStore) -> None:
    store.save(DIGEST, fixture("x"), expected=None)
    os.utime(store.path(DIGEST), (1, 1))
    assert store.load(DIGEST) is store.load(DIGEST)


def test_a_broken_file_says_so_until_it_is_mended(store: FixtureStore) -> None:
    store.save(DIGEST, b"{", expected=None)
    os.utime(store.path(DIGEST), (1, 1))
    for _ in range(2):
        with pytest.raises(FixtureError) as caught:
            store.load(DIGEST)
        assert caught.value.rule == "invalid-json"
    store.path(DIGEST).write_bytes(fixture("mended"))
    assert content(store) == "mended"
    store.path(DIGEST).unlink()
    assert store.load(DIGEST) is None


def test_a_folder_in_the_place_of_a_file_is_broken(store: FixtureStore) -> None:
    store.path(DIGEST).mkdir(parents=True)
    with pytest.raises(FixtureError, match="cannot be read"):
        store.load(DIGEST)


class Raced(FixtureStore):
    """Another program is quick: it does something after each look at a file."""

    do: Callable[[Path], object]

    def _look(self, digest: str) -> FileStamp | None:
        stamp = super()._look(digest)
        self.do(self.path(digest))
        return stamp


def test_a_file_that_goes_while_it_is_looked_at_is_missing_not_broken(store: FixtureStore) -> None:
    store.save(DIGEST, fixture("x"), expected=None)
    raced = Raced(store.folder)
    raced.do = Path.unlink
    assert raced.load(DIGEST) is None


def test_a_file_that_changes_after_the_first_look_is_not_overwritten(store: FixtureStore) -> None:
    stamp = store.save(DIGEST, fixture("old"), expected=None)
    raced = Raced(store.folder)
    raced.do = lambda path: path.write_bytes(fixture("theirs"))
    with pytest.raises(FixtureChangedError):
        raced.save(DIGEST, fixture("ours"), expected=stamp)
    assert content(store) == "theirs"
    assert os.listdir(store.folder) == [f"{DIGEST}.json"]


def test_a_refused_save_does_not_bring_a_deleted_folder_back(store: FixtureStore) -> None:
    stamp = store.save(DIGEST, fixture("old"), expected=None)
    shutil.rmtree(store.folder)
    with pytest.raises(FixtureChangedError):
        store.save(DIGEST, fixture("ours"), expected=stamp)
    assert not store.folder.exists()


def test_a_new_file_may_have_the_mode_of_another(store: FixtureStore) -> None:
    store.save(DIGEST, b"{}", expected=None)
    os.chmod(store.path(DIGEST), 0o604)
    assert store.mode(DIGEST) == 0o604
    assert store.mode(OTHER) is None
    store.save(OTHER, b"{}", expected=None, mode=store.mode(DIGEST))
    assert store.mode(OTHER) == 0o604
