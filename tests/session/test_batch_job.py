"""Long work in parts: others have their turn, it can be stopped, and an error ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from time import sleep

import pytest

from workbench.session.batch_job import TELL_EVERY, TURN, BatchJob


def ignored(done: int) -> None:
    """A report that nobody reads."""


def test_others_have_their_turn_between_two_parts() -> None:
    work, seen = BatchJob(), list[str]()

    async def other() -> None:
        while len(seen) < 6:
            seen.append("other")
            await asyncio.sleep(0)

    def parts() -> Iterator[int]:
        for number in range(3):
            sleep(TURN)
            yield number

    async def both() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(other())
            async for _ in work.run(parts(), ignored):
                assert work.is_running
                seen.append("part")

    asyncio.run(both())
    assert seen == ["part", "other"] * 3
    assert not work.is_running


def test_it_is_under_way_from_its_start() -> None:
    work = BatchJob()
    parts = work.run(iter(range(2)), ignored)
    assert work.is_running

    async def all_parts() -> list[int]:
        return [number async for number in parts]

    assert asyncio.run(all_parts()) == [0, 1]
    assert not work.is_running


def test_what_is_stopped_does_no_further_part() -> None:
    work, done = BatchJob(), list[int]()

    async def flow() -> None:
        async for number in work.run(iter(range(10)), ignored):
            done.append(number)
            if number == 3:
                work.stop()
        assert not work.is_running
        # What comes after it is not stopped.
        done.extend([number async for number in work.run(iter(range(2)), ignored)])

    asyncio.run(flow())
    assert done == [0, 1, 2, 3, 0, 1]


def test_an_error_of_a_part_is_raised_behind_those_before_it() -> None:
    work, done = BatchJob(), list[float]()

    async def flow() -> None:
        async for number in work.run((1 / number for number in (1, 0)), ignored):
            done.append(number)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(flow())
    assert done == [1]
    assert not work.is_running


def test_how_far_it_is_is_told_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("workbench.session.batch_job.monotonic", lambda: now[0])
    work, told = BatchJob(), list[int]()

    async def flow() -> None:
        async for _ in work.run(iter(range(7)), told.append):
            now[0] += TELL_EVERY / 2

    asyncio.run(flow())
    assert told == [2, 4, 6]


def test_where_showing_a_part_fails_nothing_is_under_way_any_more() -> None:
    work = BatchJob()

    async def failing() -> None:
        async for _ in work.run(iter(range(3)), ignored):
            raise LookupError

    async def flow() -> None:
        with pytest.raises(LookupError):
            await failing()
        while work.is_running:
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(flow(), 60))
