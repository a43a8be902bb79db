"""What a check came to, kept between runs: used while the file is the same, and never trusted
when it is damaged.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.core.fixtures.rules.rule_cases import BROKEN, DIGEST, FINE, Broken, Fine
from workbench.core.fixtures import rules
from workbench.core.fixtures.rules import Context, Examined, examine
from workbench.io import check_cache
from workbench.io.check_cache import CheckCache
from workbench.io.state_folder import StateFolder

NAME = f"{DIGEST}.json"
_ALL: list[Broken | Fine] = [*BROKEN, *FINE]
CASES = [case.data.encode() for case in _ALL if "\ud800" not in case.data]


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / ".workbench")


def old_file(folder: Path, data: bytes, name: str = NAME) -> os.stat_result:
    """The status of a file written long enough ago to be told from what is written now."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(data)
    os.utime(path, ns=(1_700_000_000_123_456_789, 1_700_000_000_123_456_789))
    return path.stat()


def kept(state: StateFolder, folder: Path, data: bytes, name: str = NAME) -> os.stat_result:
    """A file whose check is kept, and its status."""
    status = old_file(folder, data, name)
    cache = CheckCache(state, folder)
    cache.put(name, status, examine(data, Context(name)), read_ns=time.time_ns())
    cache.save({name})
    return status


def found(state: StateFolder, folder: Path, status: os.stat_result) -> Examined | None:
    return CheckCache(state, folder).get(NAME, status)


def test_what_was_found_is_found_again(state: StateFolder, tmp_path: Path) -> None:
    cache = CheckCache(state, tmp_path / "a")
    examined = {}
    for number, data in enumerate(CASES):
        name = f"{number:064x}.json"
        status = old_file(tmp_path / "a", data, name)
        examined[name] = examine(data, Context(name)), status
        cache.put(name, status, examined[name][0], read_ns=time.time_ns())
    cache.save(examined.keys())
    again = CheckCache(state, tmp_path / "a")
    without = [
        name for name, (expected, status) in examined.items() if again.get(name, status) != expected
    ]
    unsure = [n for n, (e, _) in examined.items() if "schema-unchecked" in [f.rule for f in e[0]]]
    assert without == unsure
    assert len(examined) > 150


def test_what_may_be_of_a_busy_machine_is_not_kept(state: StateFolder, tmp_path: Path) -> None:
    tool = {"function": {"name": "f", "parameters": {"$ref": "http://127.0.0.1:1/x"}}}
    call = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    document = {"response": {"tool_calls": [call]}, "request": {"tools": [tool]}}
    data = json.dumps(document).encode()
    assert "schema-unchecked" in [f.rule for f in examine(data, Context(NAME)).findings]
    assert found(state, tmp_path, kept(state, tmp_path, data)) is None


@pytest.mark.parametrize("change", ["size", "modified", "inode"])
def test_a_file_that_changed_is_not_known(change: str, state: StateFolder, tmp_path: Path) -> None:
    folder = tmp_path / "a"
    status = kept(state, folder, b"{}")
    assert found(state, folder, status) is not None
    path = folder / NAME
    if change == "size":
        path.write_bytes(b"{} ")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    elif change == "modified":
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    else:
        other = folder / "other"
        other.write_bytes(b"[]")
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
        other.replace(path)
    assert found(state, folder, path.stat()) is None


def test_a_file_written_just_now_is_not_kept(state: StateFolder, tmp_path: Path) -> None:
    """The next write may give it the same stamp."""
    path = tmp_path / NAME
    path.write_bytes(b"{}")
    cache = CheckCache(state, tmp_path)
    cache.put(NAME, path.stat(), examine(b"{}", Context(NAME)), read_ns=path.stat().st_mtime_ns)
    cache.save({NAME})
    assert found(state, tmp_path, path.stat()) is None
    assert not (tmp_path / ".workbench").exists()


def test_folders_have_caches_of_their_own(state: StateFolder, tmp_path: Path) -> None:
    status = kept(state, tmp_path / "a", b"{}")
    assert found(state, tmp_path / "b", status) is None
    (tmp_path / "link").symlink_to("a")
    assert found(state, tmp_path / "link", status) is not None


def test_files_that_are_gone_are_forgotten(state: StateFolder, tmp_path: Path) -> None:
    status = kept(state, tmp_path / "a", b"{}")
    CheckCache(state, tmp_path / "a").save({NAME, "new.json"})
    assert found(state, tmp_path / "a", status) is not None
    CheckCache(state, tmp_path / "a").save(set())
    assert found(state, tmp_path / "a", status) is None


def test_only_the_latest_folders_are_kept(state: StateFolder, tmp_path: Path) -> None:
    statuses = {}
    for number in range(20):
        folder = tmp_path / f"{number}"
        statuses[folder] = kept(state, folder, b"{}")
        os.utime(CheckCache(state, folder).path, (number, number))
    kept(state, tmp_path / "last", b"{}")
    assert len(list(state.cache.iterdir())) == 16
    here = [folder.name for folder, status in statuses.items() if found(state, folder, status)]
    assert here == [f"{number}" for number in range(5, 20)]


def test_other_rules_know_nothing_of_it(
    state: StateFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = kept(state, tmp_path / "a", b"{}")
    monkeypatch.setattr(check_cache, "_rules_version", lambda: "other")
    assert found(state, tmp_path / "a", status) is None


def test_the_version_is_that_of_every_rule_and_of_the_libraries() -> None:
    sources = check_cache._sources()
    assert {Path(source).suffix for source in sources} == {".py"}
    assert set(rules.__path__) <= {str(Path(source).parent) for source in sources}
    assert len([s for s in sources if Path(s).parent.name in ("jsonschema", "regex")]) == 2
    assert check_cache._rules_version() == check_cache._rules_version()


@pytest.mark.parametrize("data", [b"", b"\n", b"{}", b"0\n[]", b"\xff" * 99, b"[" * 100_000])
def test_a_damaged_cache_counts_as_none(data: bytes, state: StateFolder, tmp_path: Path) -> None:
    folder = tmp_path / "a"
    status = kept(state, folder, b"{}")
    CheckCache(state, folder).path.write_bytes(data)
    assert found(state, folder, status) is None
    assert found(state, folder, kept(state, folder, b"{}")) is not None


def test_a_cache_with_a_flipped_or_lost_byte_counts_as_none(
    state: StateFolder, tmp_path: Path
) -> None:
    data = b'{"response": {"content": 1, "usage": {"total_tokens": 1}}}'
    status = kept(state, tmp_path / "a", data)
    path = CheckCache(state, tmp_path / "a").path
    whole = path.read_bytes()
    for at in range(len(whole)):
        flipped = bytes([whole[at] ^ (1 << at % 8)])
        for damaged in (whole[:at], whole[:at] + whole[at + 1 :]):
            path.write_bytes(damaged)
            assert found(state, tmp_path / "a", status) is None
        path.write_bytes(whole[:at] + flipped + whole[at + 1 :])
        assert found(state, tmp_path / "a", status) is None
    path.write_bytes(whole)
    assert found(state, tmp_path / "a", status) == examine(data, Context(NAME))


def test_a_cache_that_cannot_be_written_is_no_loss(state: StateFolder, tmp_path: Path) -> None:
    state.path.write_bytes(b"a file where the folder should be")
    status = kept(state, tmp_path / "a", b"{}")
    assert found(state, tmp_path / "a", status) is None


def test_it_is_for_its_owner_and_not_for_git(state: StateFolder, tmp_path: Path) -> None:
    kept(state, tmp_path / "a", b"{}")
    assert state.path.stat().st_mode & 0o777 == 0o700
    assert (state.path / ".gitignore").read_text() == "*\n"
