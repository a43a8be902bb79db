"""Live logs and folders: whatever happens to the files, no miss is lost and none counted twice."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import json
import os
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Size

from tests.reference import LOG
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.lines import listening_line, miss_lines, served_line
from workbench.core.misses.index import Hits
from workbench.io.files.watcher import FolderWatcher
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.log_files import open_tail
from workbench.io.logs.tail import SLICE
from workbench.io.state_folder import StateFolder
from workbench.session.misses.states import open_misses, state_of
from workbench.session.session import Session
from workbench.tui.misses.empty_states import no_misses
from workbench.tui.services.fixture_feed import FixtureFeed
from workbench.tui.services.log_feed import FIRST_PART, TAKEN_AT_ONCE, LogFeed


def payload(number: int) -> dict[str, Any]:
    text = f"question {number} — naïve\u2028line\u0085two 🚀"
    return {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}]}


def lines(*numbers: int) -> bytes:
    return "".join(miss_lines(digest(payload(n)), payload(n)) for n in numbers).encode()


class Watched:
    """A feed that runs, its session and what it told."""

    def __init__(self, folder: Path, *logs: Path) -> None:
        self.session = Session(
            FixtureStore(folder / "fixtures"), StateFolder(folder / ".workbench")
        )
        self.notes: list[str] = []
        self.told: list[set[str]] = []
        self.names: Counter[str] = Counter()
        self.tails = [open_tail(log) for log in logs]
        self.watcher = FolderWatcher()
        self.feed = LogFeed(
            self.session,
            self.watcher,
            on_misses=self.told.append,
            on_note=self.notes.append,
            on_ignored=lambda: None,
        )
        for tail in self.tails:
            self.feed.add(tail)
        self.fixtures = FixtureFeed(
            self.session,
            self.watcher,
            on_files=lambda names, _: self.names.update(names),
            on_examined=lambda: None,
        )

    def counts(self) -> dict[str, int]:
        return {m.digest: m.count for m in self.session.miss_index.misses.values()}

    async def until(self, holds: Callable[[], bool], timeout: float = 60) -> None:
        async with asyncio.timeout(timeout):
            while not holds():
                await asyncio.sleep(0.01)


@asynccontextmanager
async def running(watched: Watched) -> AsyncIterator[Watched]:
    tasks = [
        asyncio.ensure_future(watched.feed.follow_logs(watched.tails)),
        asyncio.ensure_future(watched.fixtures.watch()),
        asyncio.ensure_future(watched.watcher.run()),
    ]
    try:
        yield watched
    finally:
        watched.watcher.close()
        await asyncio.wait_for(asyncio.gather(*tasks), 60)
        for tail in watched.tails:
            tail.close()
        watched.session.spool.close()


def expected(*numbers: int) -> dict[str, int]:
    return dict(Counter(digest(payload(n)) for n in numbers))


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_the_first_rows_come_from_the_first_part_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "suite.log"
    log.write_bytes(lines(*range(1_000)))
    assert FIRST_PART < log.stat().st_size < SLICE

    async def test() -> None:
        watched = Watched(tmp_path, log)
        watched.feed.goes_on.clear()
        async with running(watched):
            async with asyncio.timeout(60):
                await watched.feed.begun.wait()
            assert 0 < len(watched.counts()) < 1_000
            watched.feed.goes_on.set()
            await watched.until(lambda: len(watched.counts()) == 1_000)

    asyncio.run(test())


def test_where_the_first_parts_of_a_log_have_no_rows_the_next_ones_are_read(tmp_path: Path) -> None:
    log = tmp_path / "suite.log"
    others = b"a line of another program\n" * 50_000
    log.write_bytes(others + lines(1) + others)
    assert len(others) > FIRST_PART + 2 * SLICE

    async def test() -> None:
        watched = Watched(tmp_path, log)
        watched.feed.goes_on.clear()
        async with running(watched):
            async with asyncio.timeout(60):
                await watched.feed.begun.wait()
            assert watched.counts() == expected(1)
            assert watched.tails[0].backlog > 0
            watched.feed.goes_on.set()

    asyncio.run(test())


def test_that_a_log_stands_otherwise_is_told_without_a_miss(tmp_path: Path) -> None:
    log = tmp_path / "suite.log"
    log.write_bytes(lines(1))

    async def flow() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            await watched.until(lambda: watched.counts() == expected(1))
            log.unlink()
            await watched.until(lambda: set() in watched.told)
            assert [status.state for status in watched.feed.logs.values()] == ["gone"]

    asyncio.run(flow())


def test_the_reference_log_gives_every_miss_with_its_own_dump(tmp_path: Path) -> None:
    async def run() -> None:
        async with running(Watched(tmp_path, LOG)) as watched:
            await watched.until(lambda: sum(watched.counts().values()) == 319)
            assert len(watched.counts()) == 108
            for found in watched.counts():
                request = watched.session.miss_index.payload(found)
                assert request is not None
                assert digest(request) == found

    asyncio.run(run())


def test_a_fixture_shows_the_time_of_its_last_hit(tmp_path: Path) -> None:
    log, served = tmp_path / "mock-llm.log", digest(payload(1))

    def hit(minute: int) -> bytes:
        access = f'- - [20/Nov/2026 10:{minute:02}:00] "POST /v1/chat/completions HTTP/1.1" 200 -\n'
        return f"{served_line(served)}{access}".encode()

    log.write_bytes(b"".join(map(hit, range(3))))

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            hits = watched.session.miss_index.served
            await watched.until(lambda: hits.get(served) == Hits(3, "2026-11-20T10:02:00"))
            append(log, hit(30))
            await watched.until(lambda: hits.get(served) == Hits(4, "2026-11-20T10:30:00"))

    asyncio.run(run())


def test_the_time_of_a_hit_that_ended_a_wait_is_that_of_the_request(tmp_path: Path) -> None:
    log, held = tmp_path / "mock-llm.log", digest(payload(1))
    access = '- - [20/Nov/2026 10:05:00] "POST /v1/chat/completions HTTP/1.1" 200 -\n'
    log.write_text(miss_lines(held, payload(1)) + access + served_line(held))

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            hits = watched.session.miss_index.served
            await watched.until(lambda: hits.get(held) == Hits(1, "2026-11-20T10:05:00"))

    asyncio.run(run())


def test_every_miss_of_a_long_log_is_told(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log"
    filling = b"what an application says\n" * (SLICE // 100)
    log.write_bytes(filling.join(lines(number) for number in range(40)))

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            everything = set(expected(*range(40)))
            await watched.until(lambda: set().union(*watched.told) == everything)
            assert watched.feed.logs[watched.tails[0]].bytes_read > 8 * SLICE

    asyncio.run(run())


def test_a_file_that_is_no_log_is_told_until_one_has_its_name(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log"
    log.write_bytes(bz2.compress(random.Random(1).randbytes(2 * SLICE)))

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            [status] = watched.feed.logs.values()
            await watched.until(lambda: status.bytes_read > 2 * SLICE)
            why = "it is compressed with bzip2; decompress it first"
            assert (status.state, status.trouble) == ("unreadable", why)
            assert watched.notes == [f"mock-llm.log cannot be read: {why}."]
            shown = no_misses(watched.session, [status], Size(80, 24))
            assert f"  mock-llm.log cannot be read: {why}." in map(str, shown)
            log.unlink()
            log.write_bytes(lines(1))
            await watched.until(lambda: watched.counts() == expected(1))
            await watched.until(lambda: status.state == "live")
            assert status.trouble == ""

    asyncio.run(run())


def test_a_log_that_gzip_packed_is_read_and_has_ended(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log.gz"
    log.write_bytes(gzip.compress(lines(1)))

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            [status] = watched.feed.logs.values()
            await watched.until(lambda: watched.counts() == expected(1))
            await watched.until(lambda: status.state == "ended")
            assert watched.notes == []

    asyncio.run(run())


def test_every_log_has_a_name(tmp_path: Path) -> None:
    watched = Watched(tmp_path, Path("."), tmp_path / "mock-llm.log")
    assert [log.name for log in watched.feed.logs.values()] == [".", "mock-llm.log"]
    watched.session.close()


def test_an_empty_log_is_there(tmp_path: Path) -> None:
    """A suite that has just begun; and what is there is not said to be missing until it is read."""
    (tmp_path / "empty.log").touch()
    watched = Watched(tmp_path, tmp_path / "empty.log", tmp_path / "none.log")
    assert [status.state for status in watched.feed.logs.values()] == ["live", "waiting"]
    watched.session.close()


def test_a_folder_is_no_log_until_a_file_has_its_name(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log"
    log.mkdir()

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            [status] = watched.feed.logs.values()
            await watched.until(lambda: status.state == "unreadable")
            assert status.trouble == "Is a directory"
            log.rmdir()
            log.write_bytes(bytes(100) + lines(1))
            await watched.until(lambda: status.state == "live")
            assert status.trouble == ""

    asyncio.run(run())


def test_a_log_that_a_folder_replaces_is_not_live(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log"
    log.write_bytes(lines(1))

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            [status] = watched.feed.logs.values()
            await watched.until(lambda: status.state == "live")
            log.unlink()
            log.mkdir()
            await watched.until(lambda: status.state == "unreadable")
            log.rmdir()
            log.write_bytes(lines(2))
            await watched.until(lambda: status.state == "live")

    asyncio.run(run())


def test_others_get_their_turn_while_many_misses_are_taken_in(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log"
    log.write_bytes(lines(*range(1500)))

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            seen = [0]
            while seen[-1] < 1500:
                seen.append(len(watched.counts()))
                await asyncio.sleep(0)
            assert max(after - before for before, after in pairwise(seen)) <= TAKEN_AT_ONCE

    asyncio.run(run())


def test_a_log_that_comes_late_is_picked_up_and_followed(tmp_path: Path) -> None:
    log = tmp_path / "late" / "mock-llm.log"

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            await asyncio.sleep(0.1)
            log.parent.mkdir()
            log.write_bytes(lines(1))
            await watched.until(lambda: watched.counts() == expected(1))
            append(log, lines(2, 1))
            await watched.until(lambda: watched.counts() == expected(1, 2, 1))

    asyncio.run(run())


def test_a_line_cut_in_a_character_waits_for_its_rest(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log"
    whole = lines(7)
    cut = whole.index("🚀".encode()) + 2

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            append(log, whole[:cut])
            await watched.until(lambda: watched.feed.logs[watched.tails[0]].bytes_read == cut)
            append(log, whole[cut:])
            await watched.until(
                lambda: bool(watched.session.miss_index.payload(digest(payload(7))))
            )
            assert watched.counts() == expected(7)
            assert watched.session.miss_index.unreadable == []

    asyncio.run(run())


@pytest.mark.parametrize("how", ["truncate", "rename", "delete"])
def test_a_log_that_begins_anew_is_another_run(tmp_path: Path, how: str) -> None:
    log = tmp_path / "mock-llm.log"
    log.write_bytes(lines(1, 2, 3))

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            await watched.until(lambda: watched.counts() == expected(1, 2, 3))
            if how == "truncate":
                os.truncate(log, 0)
            elif how == "rename":
                log.rename(tmp_path / "mock-llm.log.1")
            else:
                log.unlink()
            append(log, listening_line("http://127.0.0.1:1", "fixtures").encode() + lines(3, 4))
            await watched.until(lambda: watched.counts() == expected(1, 2, 3, 3, 4))
            runs = {m.digest: m.run for m in watched.session.miss_index.misses.values()}
            assert runs[digest(payload(1))] == 1
            assert runs[digest(payload(3))] == runs[digest(payload(4))] == 2

    asyncio.run(run())


def test_random_slices_and_rotations_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log"
    rng = random.Random(20261120)
    written: list[int] = []

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            for _ in range(12):
                numbers = [rng.randrange(40) for _ in range(rng.randrange(1, 12))]
                data, at = lines(*numbers), 0
                while at < len(data):
                    step = rng.randrange(1, 400)
                    append(log, data[at : at + step])
                    at += step
                    if rng.random() < 0.1:
                        await asyncio.sleep(0.002)
                written.extend(numbers)
                if rng.random() < 0.5:
                    # What is in a file when it is renamed or seen gone is read; what is cut off
                    # unseen is not there to be read, so a truncation waits for the reader.
                    await watched.until(lambda: watched.counts() == expected(*written))
                    rng.choice([lambda: os.truncate(log, 0), log.unlink])()
                    await asyncio.sleep(rng.random() * 0.05)
            await watched.until(lambda: watched.counts() == expected(*written))

    asyncio.run(run())


def test_fixtures_written_changed_broken_and_deleted_by_others_show_up(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log"
    log.write_bytes(lines(1))
    asked = digest(payload(1))
    fixtures = tmp_path / "fixtures"
    file = fixtures / f"{asked}.json"

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:

            def state() -> str:
                return state_of(watched.session, asked).kind if watched.counts() else ""

            await watched.until(lambda: state() == "missing")
            fixtures.mkdir()
            file.write_text(new_document(asked, {"content": "hi"}).text, "utf-8")
            await watched.until(lambda: state() == "answered")
            assert open_misses(watched.session) == []
            file.write_text('{\n  "response": {"content": "hi"\n}', "utf-8")
            await watched.until(lambda: state() == "broken")
            broken = watched.session.miss_fixtures.broken(asked)
            assert broken is not None
            assert (broken.rule, broken.line) == ("invalid-json", 3)
            file.unlink()
            await watched.until(lambda: state() == "missing")
            (fixtures / "workbench-ignore.txt").write_text(f"{asked} on purpose\n")
            await watched.until(lambda: state() == "ignored")

    asyncio.run(run())


def test_a_dump_is_the_request_whatever_is_in_it(tmp_path: Path) -> None:
    log = tmp_path / "mock-llm.log"
    hostile = {
        "model": "[/bold]",
        "messages": [
            {"role": "user", "content": "\x1b]52;c;aGk=\x07 \x00 \u202e \u2028 [red]x[/red] \\ {}"}
        ],
    }
    log.write_bytes(miss_lines(digest(hostile), hostile).encode())

    async def run() -> None:
        async with running(Watched(tmp_path, log)) as watched:
            await watched.until(lambda: bool(watched.counts()))
            assert watched.session.miss_index.payload(digest(hostile)) == json.loads(
                json.dumps(hostile)
            )

    asyncio.run(run())
