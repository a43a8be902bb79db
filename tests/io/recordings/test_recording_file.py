"""Runs as they are read, with the part a fork shares with its parent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.core.formats import FormatError
from workbench.core.recordings.exchanges import (
    CheckpointMark,
    End,
    Exchange,
    Header,
    Parent,
    Parsed,
    Returned,
)
from workbench.io.recordings.journal import SUFFIX, JournalWriter
from workbench.io.recordings.recording_file import Recording, find, journals


def write(folder: Path, name: str, values: list[str], parent: Parent | None = None) -> Path:
    path = folder / f"{name}{SUFFIX}"
    writer = JournalWriter(path, Header(name, f"run {name}", "2026-11-20T10:00:00+01:00", parent))
    first = parent.at if parent else 1
    for position, value in enumerate(values, first):
        writer.append(Exchange(position, "n", position, {}, Returned(value)))
        writer.append(Parsed(position, value.upper()))
        writer.append(CheckpointMark(f"c{value}", position, position))
    writer.append(End())
    writer.close()
    return path


def values(recording: Recording, after: int = 0) -> list[object]:
    return [e.outcome.value for e in recording.exchanges(after) if isinstance(e.outcome, Returned)]


def test_a_fork_is_its_parent_up_to_where_it_leaves_it(tmp_path: Path) -> None:
    write(tmp_path, "aa", ["1", "2", "3", "4"])
    write(tmp_path, "bb", ["x", "y"], Parent("aa", 3))
    path = write(tmp_path, "cc", ["z"], Parent("bb", 4))
    recording = Recording(path)
    assert values(recording) == ["1", "2", "x", "z"]
    assert values(recording, 2) == ["x", "z"]
    assert (len(recording), recording.shared) == (4, 3)
    assert [recording.parsed(n) for n in range(1, 6)] == ["1", "2", "X", "Z", None]
    assert [mark.checkpoint for mark in recording.marks] == ["c1", "c2", "cx", "cz"]
    for position in (0, 5):
        with pytest.raises(IndexError, match=f"exchanges 1 to 4, not {position}"):
            recording.exchange(position)


def test_what_is_cut_is_named_unless_the_recording_has_ended(tmp_path: Path) -> None:
    path = write(tmp_path, "aa", ["1"])
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type":"exch')
    assert Recording(path).problems == []
    path.write_bytes(whole[:-5])
    assert Recording(path).problems == ["line 5 was cut after 23 bytes"]


def test_what_cannot_be_read_is_left_out_and_named_in_a_fork_too(tmp_path: Path) -> None:
    parent = write(tmp_path, "aa", ["1", "2", "3"])
    fork = write(tmp_path, "bb", ["x", "y"], Parent("aa", 3))
    for path, number in ((parent, 2), (fork, 4)):
        damaged = path.read_bytes().replace(b'"call":%d' % number, b'"call":-')
        path.write_bytes(damaged)
    recording = Recording(fork)
    assert recording.problems == []
    assert values(recording) == values(recording) == ["1", "x"]
    second, fourth = recording.problems
    assert second.startswith("exchange 2 cannot be read: not JSON: ")
    assert fourth.startswith("exchange 4 cannot be read: not JSON: ")


def test_an_exchange_has_the_position_of_its_line_whatever_it_says(tmp_path: Path) -> None:
    path = write(tmp_path, "aa", ["1", "2", "3"])
    path.write_bytes(
        path.read_bytes().replace(b'"exchange","position":2', b'"exchange","position":1')
    )
    assert [exchange.position for exchange in Recording(path).exchanges()] == [1, 2, 3]


def test_a_parent_that_is_gone_or_oneself_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="its parent recording aa is not in "):
        Recording(write(tmp_path, "bb", [], Parent("aa", 3)))
    for name in ("a" * 300, "a\0b", "a\ud800b"):
        with pytest.raises(FormatError, match=f"its parent recording {name} is not in "):
            Recording(write(tmp_path, "long", [], Parent(name, 1)))
        (tmp_path / f"long{SUFFIX}").unlink()
    with pytest.raises(FormatError, match="a fork of too many forks, or of itself"):
        Recording(write(tmp_path, "cc", [], Parent("cc", 1)))
    write(tmp_path, "ee", [])
    (tmp_path / "sub").mkdir()
    outside = write(tmp_path / "sub", "dd", [], Parent("../ee", 1))
    with pytest.raises(FormatError, match=r"its parent recording \.\./ee is not in "):
        Recording(outside)


def test_a_recording_is_found_by_its_path_id_beginning_or_name(tmp_path: Path) -> None:
    first = write(tmp_path, "abc1", [])
    second = write(tmp_path, "abd2", [])
    os.utime(first, (1, 1))
    (tmp_path / f"broken{SUFFIX}").write_text("{")
    assert journals(tmp_path)[-1] == first
    assert find(tmp_path, str(second)) == second
    assert find(tmp_path, "abc") == first
    assert find(tmp_path, "run abd2") == second
    with pytest.raises(LookupError, match=r"2 recordings in .* begin with ab"):
        find(tmp_path, "ab")
    with pytest.raises(LookupError, match="there is no recording 'zz' in "):
        find(tmp_path, "zz")
    assert journals(tmp_path / "none") == []
