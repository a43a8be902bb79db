"""Following logs: the right ones, all of them, promptly, and no longer than asked."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, closing, suppress
from pathlib import Path

import pytest

from tests.io.files.watching import watching
from tests.reference import LOG
from workbench.io.files.watcher import FolderWatcher
from workbench.io.logs.follow import follow
from workbench.io.logs.tail import (
    SLICE,
    LogChange,
    LogData,
    LogTail,
    StreamTail,
    Tail,
    TailEvent,
)

PATIENCE = 50.0
FAST = 0.01
NEVER = 1000.0

Batches = AsyncGenerator[tuple[Tail, list[TailEvent]], None]


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def with_patience() -> None:
        async with asyncio.timeout(PATIENCE):
            await test()

    asyncio.run(with_patience())


def append(log: Path, data: bytes) -> None:
    with log.open("ab") as file:
        file.write(data)


class Reader:
    """Takes batches until something was seen."""

    def __init__(self, batches: Batches) -> None:
        self.batches = batches
        self.events: list[TailEvent] = []

    @property
    def data(self) -> bytes:
        return b"".join(event.data for event in self.events if isinstance(event, LogData))

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            _, events = await anext(self.batches)
            self.events += events


@pytest.mark.parametrize("events", [False, True])
def test_a_whole_life(tmp_path: Path, events: bool) -> None:
    log = tmp_path / "logs" / "x.log"

    async def test() -> None:
        with closing(LogTail(log)) as tail:
            async with (
                watching(interval=FAST, events=events) as watcher,
                aclosing(follow([tail], watcher)) as batches,
            ):
                reader = Reader(batches)
                loop = asyncio.get_running_loop()
                loop.call_later(0.05, log.parent.mkdir)
                loop.call_later(0.1, append, log, b"one\n")
                await reader.until(lambda: reader.data == b"one\n")
                append(log, b"two\n")
                log.rename(log.with_suffix(".1"))
                append(log, b"three\n")
                await reader.until(lambda: reader.data.endswith(b"three\n"))
                os.truncate(log, 0)
                await reader.until(lambda: LogChange.CUT in reader.events)
                log.unlink()
                await reader.until(lambda: LogChange.GONE in reader.events)
                log.parent.rename(log.parent.with_name("old"))
                log.parent.mkdir()
                append(log, b"four\n")
                await reader.until(lambda: reader.data.endswith(b"four\n"))
                assert reader.data == b"one\ntwo\nthree\nfour\n"
                assert reader.events.count(LogChange.REPLACED) == 2

    run(test)


async def seen_by_events(log: Path, written: Path) -> None:
    """Fails unless ``log`` is read, twice, when ``written`` grows and nothing but events tells."""
    with closing(LogTail(log)) as tail:
        async with (
            watching(interval=NEVER) as watcher,
            aclosing(follow([tail], watcher)) as batches,
        ):
            # Nobody tells when the watch has begun, so write until it is seen.
            async def write() -> None:
                while True:
                    append(written, b"x\n")
                    await asyncio.sleep(0.05)

            async with asyncio.TaskGroup() as group:
                writing = group.create_task(write())
                assert await anext(batches)
                assert await anext(batches)
                writing.cancel()


def test_an_event_alone_is_enough(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    run(lambda: seen_by_events(log, log))


def test_events_of_the_folder_a_symlink_points_into(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "run.log"
    target.parent.mkdir()
    link = tmp_path / "x.log"
    link.symlink_to(target)
    run(lambda: seen_by_events(link, target))


def test_a_log_that_has_not_changed_for_long_is_not_read_at_each_poll(tmp_path: Path) -> None:
    reads = []

    class Counted(LogTail):
        def read(self, limit: int = SLICE) -> list[TailEvent]:
            reads.append(limit)
            return super().read(limit)

    log = tmp_path / "x.log"
    append(log, b"one\n")

    async def test() -> None:
        with closing(Counted(log, now=lambda: time.time_ns() + 10**10)) as tail:
            async with (
                watching(interval=FAST, events=False) as watcher,
                aclosing(follow([tail], watcher)) as batches,
            ):
                reader = Reader(batches)
                await reader.until(lambda: reader.data == b"one\n")
                asyncio.get_running_loop().call_later(50 * FAST, append, log, b"two\n")
                await reader.until(lambda: reader.data == b"one\ntwo\n")
                assert len(reads) < 10

    run(test)


def test_large_logs_take_turns(tmp_path: Path) -> None:
    paths = [tmp_path / "a.log", tmp_path / "b.log"]
    for path in paths:
        append(path, b"x" * 1000)

    async def test() -> None:
        tails = [LogTail(path) for path in paths]
        took: list[Path] = []
        left: list[int] = []
        async with (
            watching(interval=NEVER, events=False) as watcher,
            aclosing(follow(tails, watcher, limit=400)) as batches,
        ):
            while len(took) < 6:
                tail, _ = await anext(batches)
                took.append(tail.path)
                left.append(tail.backlog)
        assert took == paths * 3
        assert left == [600, 600, 200, 200, 0, 0]
        for tail in tails:
            tail.close()

    run(test)


def test_the_first_part_of_a_log_may_be_smaller(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    append(path, b"x" * 1000)

    async def test() -> None:
        tail = LogTail(path)
        async with (
            watching(interval=NEVER, events=False) as watcher,
            aclosing(follow([tail], watcher, first=100, limit=400)) as batches,
        ):
            left = [(await anext(batches))[0].backlog for _ in range(4)]
        assert left == [900, 500, 100, 0]
        tail.close()

    run(test)


def test_a_backlog_can_be_stopped(tmp_path: Path) -> None:
    paths = [tmp_path / "a.log", tmp_path / "b.log"]
    for path in paths:
        append(path, b"x" * 10_000)

    async def test() -> None:
        tails = [LogTail(path) for path in paths]
        seen = 0
        async with watching(interval=FAST, events=False) as watcher:
            async for _ in follow(tails, watcher, limit=10):
                seen += 1
                if seen == 3:
                    watcher.close()
        assert seen == 3
        for tail in tails:
            tail.close()

    run(test)


@pytest.mark.parametrize("events", [False, True])
def test_stops_at_once(tmp_path: Path, events: bool) -> None:
    async def test() -> None:
        with closing(LogTail(tmp_path / "x.log")) as tail:
            async with watching(interval=NEVER, events=events) as watcher:
                asyncio.get_running_loop().call_later(0.05, watcher.close)
                async for _ in follow([tail], watcher):
                    pytest.fail("there was nothing to read")

    run(test)


@pytest.mark.parametrize("events", [False, True])
def test_cancelling_one_leaves_the_others(tmp_path: Path, events: bool) -> None:
    paths = [tmp_path / "a.log", tmp_path / "b.log"]

    async def test() -> None:
        seen: dict[str, bytes] = {"a.log": b"", "b.log": b""}

        async def read(path: Path, watcher: FolderWatcher) -> None:
            with closing(LogTail(path)) as tail:
                batches = follow([tail], watcher)
                async with aclosing(batches):
                    async for _, happened in batches:
                        for event in happened:
                            if isinstance(event, LogData):
                                seen[path.name] += event.data

        async with (
            watching(interval=FAST, events=events) as watcher,
            asyncio.TaskGroup() as group,
        ):
            first, _second = [group.create_task(read(path, watcher)) for path in paths]
            for path in paths:
                append(path, b"one")
            while seen != {"a.log": b"one", "b.log": b"one"}:
                await asyncio.sleep(FAST)
            first.cancel()
            with suppress(asyncio.CancelledError):
                await first
            append(paths[1], b"two")
            while seen["b.log"] != b"onetwo":
                await asyncio.sleep(FAST)
            assert not watcher.is_closed
            watcher.close()

    run(test)


def test_a_pipe_wakes_and_its_end_ends() -> None:
    async def test() -> None:
        reading, writing = os.pipe()
        with closing(StreamTail(reading, Path("pipe"))) as tail:
            reader = Reader(follow([tail], FolderWatcher(interval=NEVER)))
            asyncio.get_running_loop().call_later(0.05, os.write, writing, b"one\n")
            await reader.until(lambda: reader.data == b"one\n")
            os.write(writing, b"two\n" * 10_000)
            os.close(writing)
            with suppress(StopAsyncIteration):
                await reader.until(lambda: False)
            assert reader.data == b"one\n" + b"two\n" * 10_000
            assert reader.events[-1] == LogChange.ENDED

    run(test)


def test_a_file_as_a_stream(tmp_path: Path) -> None:
    append(tmp_path / "x.log", b"one\n")

    async def test() -> None:
        descriptor = os.open(tmp_path / "x.log", os.O_RDONLY)
        with closing(StreamTail(descriptor, Path("file"))) as tail:
            batches = follow([tail], FolderWatcher(interval=NEVER))
            events = [event async for _, happened in batches for event in happened]
            assert events == [LogData(b"one\n", 0), LogChange.ENDED]

    run(test)


def test_a_log_goes_on_after_a_stream_has_ended(tmp_path: Path) -> None:
    async def test() -> None:
        reading, writing = os.pipe()
        os.close(writing)
        with (
            closing(StreamTail(reading, Path("pipe"))) as stream,
            closing(LogTail(tmp_path / "x.log")) as tail,
        ):
            async with (
                watching(interval=FAST) as watcher,
                aclosing(follow([stream, tail], watcher)) as batches,
            ):
                reader = Reader(batches)
                await reader.until(lambda: LogChange.ENDED in reader.events)
                append(tmp_path / "x.log", b"one\n")
                await reader.until(lambda: reader.data == b"one\n")

    run(test)


def test_the_reference_log_written_in_pieces(tmp_path: Path) -> None:
    """What is read is what is written, while another thread writes it."""
    whole = LOG.read_bytes()
    log = tmp_path / "x.log"

    def write() -> None:
        with log.open("ab", buffering=0) as file:
            for start in range(0, len(whole), 7919):
                file.write(whole[start : start + 7919])

    async def test() -> None:
        writer = threading.Thread(target=write)
        with closing(LogTail(log)) as tail:
            async with (
                watching(interval=FAST) as watcher,
                aclosing(follow([tail], watcher, limit=10_000)) as batches,
            ):
                reader = Reader(batches)
                writer.start()
                await reader.until(lambda: len(reader.data) >= len(whole))
                writer.join()
                assert reader.data == whole

    run(test)
