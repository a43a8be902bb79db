"""A log is read once, whatever happens to its file."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.io.logs.log_files import open_tail
from workbench.io.logs.tail import (
    LogChange,
    LogData,
    LogFailed,
    LogTail,
    StreamTail,
    TailEvent,
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "mock-llm.log"


@pytest.fixture
def tail(log: Path) -> Iterator[LogTail]:
    with closing(LogTail(log)) as tail:
        yield tail


# Seconds after which a file that changes has another time.
TICK = 0.011


def append(log: Path, data: bytes) -> None:
    with log.open("ab") as file:
        file.write(data)


def read_all(tail: LogTail | StreamTail, limit: int = 1 << 20) -> list[TailEvent]:
    """Read until nothing comes; neighbouring data joined."""
    events: list[TailEvent] = []
    while batch := tail.read(limit):
        for event in batch:
            if isinstance(event, LogData) and events and isinstance(events[-1], LogData):
                last = events.pop()
                assert isinstance(last, LogData)
                assert event.offset == last.offset + len(last.data)
                event = LogData(last.data + event.data, last.offset)
            events.append(event)
    return events


# The file grows


def test_reads_what_is_there_and_then_what_comes(log: Path, tail: LogTail) -> None:
    append(log, b"one\n")
    assert tail.read() == [LogData(b"one\n", 0)]
    assert tail.read() == []
    append(log, b"tw")
    assert tail.read() == [LogData(b"tw", 4)]
    append(log, b"o\n")
    assert tail.read() == [LogData(b"o\n", 6)]


def test_waits_for_a_file_that_is_absent(log: Path, tail: LogTail) -> None:
    assert tail.read() == []
    append(log, b"one\n")
    assert tail.read() == [LogData(b"one\n", 0)]


def test_waits_for_a_folder_that_is_absent(tmp_path: Path) -> None:
    with closing(LogTail(tmp_path / "a" / "b" / "x.log")) as tail:
        assert tail.read() == []
        tail.path.parent.mkdir(parents=True)
        append(tail.path, b"one\n")
        assert tail.read() == [LogData(b"one\n", 0)]


def test_a_large_log_comes_in_slices(log: Path, tail: LogTail) -> None:
    append(log, b"0123456789")
    assert tail.read(4) == [LogData(b"0123", 0)]
    assert tail.backlog == 6
    assert tail.read(4) == [LogData(b"4567", 4)]
    assert tail.read(4) == [LogData(b"89", 8)]
    assert tail.backlog == 0
    assert tail.read(4) == []


# The file is cut


def test_a_truncated_file_is_read_from_its_start(log: Path, tail: LogTail) -> None:
    append(log, b"one\ntwo\n")
    tail.read()
    log.write_bytes(b"")
    assert tail.read() == [LogChange.CUT]
    append(log, b"three\n")
    assert tail.read() == [LogData(b"three\n", 0)]


def test_a_shorter_content_is_a_cut(log: Path, tail: LogTail) -> None:
    append(log, b"one\ntwo\n")
    tail.read()
    log.write_bytes(b"three\n")
    assert tail.read() == [LogChange.CUT, LogData(b"three\n", 0)]


def test_what_is_known_to_wait_is_the_new_content_of_a_file_cut_while_much_waits(
    log: Path, tail: LogTail
) -> None:
    append(log, b"x" * 9000)
    tail.read(3000)
    log.write_bytes(b"y" * 2000)
    assert tail.read(1000) == [LogChange.CUT, LogData(b"y" * 1000, 0)]
    assert tail.backlog == 1000


@pytest.mark.parametrize("new", [b"THREE\n", b"three and much more\n"])
def test_a_file_truncated_and_grown_again_is_a_cut(log: Path, tail: LogTail, new: bytes) -> None:
    append(log, b"first\n")
    tail.read()
    log.write_bytes(new)
    assert tail.read() == [LogChange.CUT, LogData(new, 0)]


def test_a_file_rewritten_in_the_same_moment_is_a_cut(log: Path, tail: LogTail) -> None:
    append(log, b"first\n")
    before = log.stat()
    tail.read()
    log.write_bytes(b"other\n")
    os.utime(log, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert tail.read() == [LogChange.CUT, LogData(b"other\n", 0)]


def test_a_cut_of_a_log_that_was_not_read_to_its_end(log: Path, tail: LogTail) -> None:
    append(log, b"x" * 5000)
    assert tail.read(3000) == [LogData(b"x" * 3000, 0)]
    log.write_bytes(b"y" * 5000)
    assert read_all(tail, 3000) == [LogChange.CUT, LogData(b"y" * 5000, 0)]


def test_touching_the_file_is_no_cut(log: Path, tail: LogTail) -> None:
    append(log, b"one\n")
    tail.read()
    os.utime(log, (1, 1))
    assert tail.read() == []


def test_the_hole_before_a_writer_that_was_cut_is_left_out(log: Path, tail: LogTail) -> None:
    # A shell's "> log" does not append: after a truncation it writes on at its old place.
    with log.open("wb", buffering=0) as writer:
        writer.write(b"before\n" * 1000)
        assert tail.read() == [LogData(b"before\n" * 1000, 0)]
        os.truncate(log, 0)
        writer.write(b"after\n")
        assert read_all(tail, 1000) == [LogChange.CUT, LogData(b"after\n", 7000)]
        writer.write(b"\0\0more\n")
        assert tail.read() == [LogData(b"\0\0more\n", 7006)]
        os.truncate(log, 0)
        assert tail.read() == [LogChange.CUT]
        writer.write(b"again\n")
        assert read_all(tail, 1000) == [LogData(b"again\n", 7013)]


# The name goes to another file


def test_a_rotated_file_is_read_to_its_end_first(log: Path, tail: LogTail) -> None:
    append(log, b"one\n")
    tail.read()
    append(log, b"two\n")
    log.rename(log.with_suffix(".1"))
    append(log, b"three\n")
    assert tail.read() == [LogData(b"two\n", 4), LogChange.REPLACED, LogData(b"three\n", 0)]


def test_a_rotated_file_with_much_left_is_read_in_slices(log: Path, tail: LogTail) -> None:
    append(log, b"0123")
    tail.read(4)
    append(log, b"456789")
    log.rename(log.with_suffix(".1"))
    append(log, b"new\n")
    assert tail.read(4) == [LogData(b"4567", 4)]
    assert tail.read(4) == [LogData(b"89", 8), LogChange.REPLACED, LogData(b"new\n", 0)]


def test_what_comes_to_the_old_file_before_the_new_has_anything_is_read(
    log: Path, tail: LogTail
) -> None:
    append(log, b"one\n")
    with log.open("ab", buffering=0) as writer:
        tail.read()
        log.rename(log.with_suffix(".1"))
        log.touch()
        assert tail.read() == []
        writer.write(b"late\n")
        assert tail.read() == [LogData(b"late\n", 4)]
        writer.write(b"last\n")
    append(log, b"new\n")
    assert tail.read() == [LogData(b"last\n", 9), LogChange.REPLACED, LogData(b"new\n", 0)]


def test_a_deleted_file_is_told_once_and_waited_for(log: Path, tail: LogTail) -> None:
    append(log, b"one\n")
    tail.read()
    append(log, b"two\n")
    held = log.open("ab", buffering=0)
    log.unlink()
    assert tail.read() == [LogData(b"two\n", 4), LogChange.GONE]
    assert tail.read() == []
    with held:
        held.write(b"three\n")
    assert tail.read() == [LogData(b"three\n", 8)]
    append(log, b"four\n")
    assert tail.read() == [LogChange.REPLACED, LogData(b"four\n", 0)]
    log.unlink()
    assert tail.read() == [LogChange.GONE]


def test_a_file_that_comes_back_goes_on(log: Path, tail: LogTail) -> None:
    append(log, b"one\n")
    tail.read()
    log.rename(log.with_suffix(".1"))
    assert tail.read() == [LogChange.GONE]
    log.with_suffix(".1").rename(log)
    append(log, b"two\n")
    assert tail.read() == [LogData(b"two\n", 4)]


def test_a_deleted_folder(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "x.log"
    log.parent.mkdir()
    append(log, b"one\n")
    with closing(LogTail(log)) as tail:
        tail.read()
        log.unlink()
        log.parent.rmdir()
        assert tail.read() == [LogChange.GONE]
        log.parent.write_bytes(b"a file in its place")
        assert tail.read() == []
        log.parent.unlink()
        log.parent.mkdir()
        append(log, b"two\n")
        assert tail.read() == [LogChange.REPLACED, LogData(b"two\n", 0)]


def test_a_symlink_to_the_newest_log(log: Path, tail: LogTail, tmp_path: Path) -> None:
    append(tmp_path / "run-1", b"one\n")
    append(tmp_path / "run-2", b"two\n")
    log.symlink_to("run-1")
    assert tail.read() == [LogData(b"one\n", 0)]
    log.unlink()
    log.symlink_to("run-2")
    assert tail.read() == [LogChange.REPLACED, LogData(b"two\n", 0)]


# What cannot be read


def test_a_folder_is_told_once_and_tried_again(log: Path, tail: LogTail) -> None:
    log.mkdir()
    assert tail.read() == [LogFailed("Is a directory")]
    assert tail.read() == []
    log.rmdir()
    append(log, b"one\n")
    assert tail.read() == [LogData(b"one\n", 0)]
    # The same failure is told again behind a time without it.
    for number in range(2):
        log.unlink()
        log.symlink_to(log)
        assert tail.read() == [LogFailed("Too many levels of symbolic links")]
        assert tail.read() == []
        log.unlink()
        append(log, b"%d\n" % number)
        assert tail.read()[-1] == LogData(b"%d\n" % number, 0)


def test_what_cannot_be_read_now_does_not_count_as_waiting(log: Path, tail: LogTail) -> None:
    append(log, b"one\ntwo\n")
    assert tail.read(4) == [LogData(b"one\n", 0)]
    assert tail.backlog == 4
    log.rename(log.with_suffix(".old"))
    log.symlink_to(log)
    assert tail.read() == [LogFailed("Too many levels of symbolic links")]
    assert tail.backlog == 0
    log.unlink()
    assert tail.read() == [LogData(b"two\n", 4), LogChange.GONE]


def test_a_closed_tail_holds_nothing_open(log: Path) -> None:
    append(log, b"one\n")
    before = len(os.listdir("/dev/fd"))
    tail = LogTail(log)
    tail.read()
    tail.close()
    tail.close()
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="Linux alone says what is open")
def test_what_lost_the_name_is_closed(log: Path, tail: LogTail) -> None:
    def opened() -> list[str]:
        found = []
        for number in os.listdir("/proc/self/fd"):
            with suppress(FileNotFoundError):  # what another thread has closed meanwhile
                found.append(os.readlink(f"/proc/self/fd/{number}"))
        return [name for name in found if name.startswith(str(log.parent))]

    for number in range(3):
        append(log.with_suffix(".new"), b"%d\n" % number)
        log.with_suffix(".new").rename(log)
        assert tail.read()[-1] == LogData(b"%d\n" % number, 0)
        assert opened() == [str(log)]
    log.unlink()
    log.mkdir()
    append(log / "entry", b"")
    tail.read()
    assert opened() in ([], [f"{log} (deleted)"])


# Whether there may be news


def later() -> int:
    """The time when what happens now is long ago."""
    return time.time_ns() + 10**10


def test_a_file_that_has_not_changed_for_long_has_no_news(log: Path, tail: LogTail) -> None:
    append(log, b"one\n")
    assert tail.may_have_news()
    tail.read()
    # It may have been written again in the same tick of the file system.
    assert tail.may_have_news()
    with closing(LogTail(log, now=later)) as old:
        assert old.may_have_news()
        old.read()
        old.read()
        assert not old.may_have_news()
        append(log, b"two\n")
        assert old.may_have_news()
        assert old.read() == [LogData(b"two\n", 4)]


def test_a_rewrite_that_leaves_size_and_time_is_news(log: Path) -> None:
    append(log, b"first\n")
    before = log.stat()
    with closing(LogTail(log, now=later)) as tail:
        tail.read()
        tail.read()
        assert not tail.may_have_news()
        time.sleep(TICK)
        log.write_bytes(b"other\n")
        os.utime(log, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert tail.may_have_news()
        assert tail.read() == [LogChange.CUT, LogData(b"other\n", 0)]


@pytest.mark.parametrize("leave", [os.unlink, lambda log: log.rename(log.with_suffix(".1"))])
def test_another_file_and_none_are_news(log: Path, leave: Callable[[Path], None]) -> None:
    append(log, b"one\n")
    with closing(LogTail(log, now=later)) as tail:
        tail.read()
        leave(log)
        assert tail.may_have_news()
        assert tail.read() == [LogChange.GONE]
        append(log, b"two\n")
        assert tail.may_have_news()
        assert tail.read() == [LogChange.REPLACED, LogData(b"two\n", 0)]
        tail.read()
        assert not tail.may_have_news()


def test_a_file_that_could_not_be_read_is_tried_again(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(log, b"one\n")
    with closing(LogTail(log, now=later)) as tail:
        tail.read(2)
        with monkeypatch.context() as failing:
            error = OSError(5, "I/O error")
            failing.setattr("workbench.io.logs.tail.read_at", Mock(side_effect=error))
            assert tail.read() == [LogFailed("I/O error")]
        assert tail.may_have_news()
        assert tail.read() == [LogData(b"e\n", 2)]


# All of it, in any order


class Life:
    """A log file to which things happen, and what a reader must have seen of it.

    A life is a sequence of contents; each has a number, and says it in each of its records, so
    that no two have a stretch in common.
    """

    def __init__(self, log: Path) -> None:
        self.log = log
        self.contents: list[bytes] = []
        self.at_name: int | None = None
        self.held: int | None = None
        self.must: dict[int, int] = {}
        self._rotated = count()
        self._records = count()
        self.passed = False

    def begin(self) -> int:
        self.contents.append(b"")
        return len(self.contents) - 1

    def append(self, size: int) -> None:
        if self.at_name is None:
            self.at_name = self.begin()
        name = b"%d:%d " % (self.at_name, next(self._records))
        record = b"<%s>" % (name * (size // len(name) + 1))
        self.contents[self.at_name] += record
        append(self.log, record)

    def cut(self) -> None:
        """Truncated, and perhaps grown again before anybody looks."""
        if self.at_name is not None:
            os.truncate(self.log, 0)
            if self.held == self.at_name:
                self.held = None
            self.at_name = self.begin()

    def rotate(self) -> None:
        if self.at_name is not None:
            self.log.rename(self.log.with_suffix(f".{next(self._rotated)}"))
            self.at_name = None

    def delete(self) -> None:
        if self.at_name is not None:
            self.log.unlink()
            self.at_name = None

    def age(self) -> None:
        """Nothing happens for so long that the time of the file tells something."""
        time.sleep(TICK)
        self.passed = True

    def now(self) -> int:
        return later() if self.passed else time.time_ns()

    def was_read(self) -> None:
        """A reader read all there was."""
        for number in (self.held, self.at_name):
            if number is not None:
                self.must[number] = len(self.contents[number])
        if self.at_name is not None and self.contents[self.at_name]:
            self.held = self.at_name


def pieces(events: list[TailEvent]) -> list[bytes]:
    """The data of the events, from each start of a file to the next."""
    found = [b""]
    for event in events:
        match event:
            case LogData(data, offset):
                assert offset == len(found[-1])
                found[-1] += data
            case LogChange.CUT | LogChange.REPLACED:
                found.append(b"")
    return [piece for piece in found if piece]


def check(life: Life, events: list[TailEvent]) -> None:
    seen: dict[int, bytes] = {}
    for piece in pieces(events):
        if b":" not in piece:
            continue  # cut before it told its number
        number = int(piece[1 : piece.index(b":")])
        assert number not in seen, "a content was delivered twice"
        assert life.contents[number].startswith(piece)
        seen[number] = piece
    assert list(seen) == sorted(seen)
    for number, length in life.must.items():
        assert len(seen.get(number, b"")) >= length, f"bytes of content {number} were lost"


OPERATIONS: st.SearchStrategy[Callable[[Life], None]] = st.one_of(
    st.integers(0, 3000).map(lambda size: lambda life: life.append(size)),
    st.sampled_from([Life.cut, Life.rotate, Life.delete, Life.age]),
)


@given(st.lists(st.one_of(OPERATIONS, st.just(None), st.integers(1, 2000)), max_size=40))
def test_nothing_is_lost_or_delivered_twice(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[Callable[[Life], None] | int | None],
) -> None:
    """Between the steps, None reads everything if there may be news, and a number one slice of that
    length.
    """
    life = Life(tmp_path_factory.mktemp("life") / "x.log")
    events: list[TailEvent] = []
    with closing(LogTail(life.log, now=life.now)) as tail:
        for step in [*steps, None]:
            if step is None:
                if tail.backlog or tail.may_have_news():
                    while batch := tail.read(1500):
                        events += batch
                life.was_read()
            elif isinstance(step, int):
                events += tail.read(step)
            else:
                life.passed = False
                step(life)
        check(life, events)


@pytest.mark.parametrize("seed", range(3))
def test_a_writer_at_work_all_the_time(log: Path, seed: int) -> None:
    """One thread writes records in slices cut anywhere, and rotates or deletes its file now and
    then; it waits for the reader only before it leaves a file behind for good.
    """
    chance = random.Random(seed)
    written: list[bytes] = []
    delivered = [0]
    done = threading.Event()

    def wait_for(length: int) -> None:
        while delivered[0] < length and not done.wait(0.0002):
            pass

    def write() -> None:
        total = 0
        for number in range(12):
            with log.open("ab", buffering=0) as file:
                written.append(b"")
                for record in range(chance.randint(1, 60)):
                    text = f"<{number}:{record} é{'.' * chance.randint(0, 400)}>".encode()
                    at = chance.randint(0, len(text))
                    file.write(text[:at])
                    file.write(text[at:])
                    written[-1] += text
                    if record == 0:
                        wait_for(total + 1)  # of two files made between two looks, one is not seen
                total += len(written[-1])
                if chance.random() < 0.5:
                    log.rename(log.with_suffix(f".{number}"))
                else:
                    log.unlink()
                file.write(b"the last words")
                written[-1] += b"the last words"
                total += len(b"the last words")

    writer = threading.Thread(target=write)
    writer.start()
    events: list[TailEvent] = []
    try:
        with closing(LogTail(log)) as tail:
            while True:
                ended = not writer.is_alive()
                batch = tail.read(chance.randint(1, 3000))
                events += batch
                delivered[0] += sum(len(e.data) for e in batch if isinstance(e, LogData))
                if ended and not batch:
                    break
    finally:
        done.set()
        writer.join()
    assert pieces(events) == written


# Streams


def test_a_pipe_is_read_as_it_comes_and_ends() -> None:
    reading, writing = os.pipe()
    with closing(StreamTail(reading, Path("pipe"))) as tail:
        assert tail.read() == []
        assert not tail.may_have_news()
        os.write(writing, b"one\ntwo\n")
        assert tail.may_have_news()
        assert tail.read(5) == [LogData(b"one\nt", 0)]
        assert tail.read() == [LogData(b"wo\n", 5)]
        assert tail.read() == []
        os.close(writing)
        assert tail.read() == [LogChange.ENDED]
        assert tail.read() == []


def test_a_stream_that_fails_has_ended() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    folder = os.open("/", os.O_RDONLY)
    with closing(StreamTail(folder, Path("pipe"))) as tail:
        assert tail.read() == [LogFailed("Is a directory"), LogChange.ENDED]
        assert tail.read() == []
    os.close(writing)


def test_standard_input_is_not_ours_to_close() -> None:
    reading, writing = os.pipe()
    StreamTail(reading).close()
    os.write(writing, b"x")
    assert os.read(reading, 1) == b"x"
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_open_tail_refuses_a_device_that_never_ends(device: str) -> None:
    with pytest.raises(OSError, match="it is a device, not a file"):
        open_tail(Path(device))


def test_open_tail_knows_files_pipes_and_standard_input(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert isinstance(open_tail(Path("-")), StreamTail)
    with closing(open_tail(tmp_path / "pipe")) as pipe:
        assert isinstance(pipe, StreamTail)
        assert pipe.path == tmp_path / "pipe"
        with (tmp_path / "pipe").open("wb", buffering=0) as writer:
            writer.write(b"one\n")
            assert pipe.read() == [LogData(b"one\n", 0)]
    with closing(open_tail(tmp_path / "to-come.log")) as waiting:
        assert isinstance(waiting, LogTail)
        append(waiting.path, b"one\n")
        with closing(open_tail(waiting.path)) as file:
            assert isinstance(file, LogTail)
            assert file.read() == waiting.read() == [LogData(b"one\n", 0)]
