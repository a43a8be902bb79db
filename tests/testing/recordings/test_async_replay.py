"""Replays of an async step, and concurrent replays."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path

import pytest

from tests.apps.interview import brewery
from tests.apps.interview.async_interview import AsyncInterview
from tests.apps.interview.interview import Interview, State
from tests.testing.support import nobody
from workbench.testing import Checkpointer, MissingReplyError, MockLLM, Run, acall, areplay, replay

NOWHERE = "http://127.0.0.1:9/v1"


def test_a_step_that_is_awaited_is_replayed_in_one_event_loop(checkpoints: Checkpointer) -> None:
    interview = AsyncInterview(NOWHERE, nobody)
    loops = []

    async def step(state: State) -> State:
        loops.append(asyncio.get_running_loop())
        return await interview.step(state)

    found = replay(checkpoints.at_iteration(0), step)
    assert (found.iterations, found.verified, found.reason) == (4, 4, "")
    assert loops[0].is_closed()
    assert loops == [loops[0]] * 4


def test_in_a_running_event_loop_the_replay_is_awaited(checkpoints: Checkpointer) -> None:
    checkpoint = checkpoints.at_iteration(1)

    async def replays(offline: Interview) -> None:
        interview = AsyncInterview(NOWHERE, nobody)
        with pytest.raises(
            RuntimeError, match=r"an event loop is already running. Use await areplay\("
        ):
            replay(checkpoint, interview.step)
        for step in (interview.step, offline.step):
            found = await areplay(checkpoint, step, max_iterations=2)
            assert (found.iterations, found.verified, found.reason) == (2, 3, "")
        assert replay(checkpoint, offline.step)
        await interview.close()

    asyncio.run(replays(Interview(NOWHERE, nobody)))


def test_an_awaited_replay_goes_on_with_live_calls(
    checkpoints: Checkpointer, run: Run, model: MockLLM
) -> None:
    fork = run.fork(5, "Nothing, we buy as we go.", name="no materials")

    async def goes_on() -> None:
        interview = AsyncInterview(model.base_url, brewery.answer)

        async def step(state: State) -> State:
            state = await interview.step(state)
            checkpoints.save(state, len(state["messages"]) // 2)
            return state

        start = checkpoints.at_iteration(1)
        found = await areplay(start, step, max_iterations=2, run=fork, live=True)
        assert found.iterations == 2
        await interview.close()

    asyncio.run(goes_on())
    assert (checkpoints.at_iteration(3, fork).position, fork.problem) == (9, "")


def test_a_missing_reply_of_an_awaited_step_is_named(checkpoints: Checkpointer) -> None:
    async def answer(question: str) -> str:
        return nobody(question)

    async def swallows(state: State) -> State:
        with suppress(LookupError):
            await acall("get-weather", answer, "London")
        return state

    with pytest.raises(MissingReplyError, match="get-weather, call 1"):
        replay(checkpoints.at_iteration(1), swallows)


def test_replays_side_by_side_keep_apart(checkpoints: Checkpointer, offline: Interview) -> None:
    starts = [0, 1, 2, 3] * 2
    loaded = [checkpoints.at_iteration(number) for number in starts]

    async def at_once() -> list[bool]:
        interview = AsyncInterview(NOWHERE, nobody)

        async def step(state: State) -> State:
            await asyncio.sleep(0)
            return await interview.step(state)

        found = await asyncio.gather(*(areplay(each, step) for each in loaded))
        await interview.close()
        return [each.holds and each.verified == 4 for each in found]

    assert all(asyncio.run(at_once()))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda each: replay(each, offline.step), loaded))
    assert [each.iterations for each in found] == [4 - number for number in starts]
    assert all(each.holds and each.verified == 4 for each in found)


def test_calls_made_side_by_side_are_replayed_as_recorded(tmp_path: Path) -> None:
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    ended: list[asyncio.Event] = []

    async def look_up(number: int) -> int:
        """Ends after the call that began after it."""
        if number + 1 < len(ended):
            await ended[number + 1].wait()
        ended[number].set()
        return number * 10

    async def step(_: State) -> State:
        calls = (acall("look-up", look_up, number) for number in range(3))
        return {"found": await asyncio.gather(*calls), "complete": True}

    async def records() -> None:
        ended.extend(asyncio.Event() for _ in range(3))
        checkpoints.save({}, 0)
        checkpoints.save(await step({}), 1)

    with Run.record("side by side", folder=tmp_path) as run:
        asyncio.run(records())
    assert [each.request for each in run.exchanges] == [{"0": 2}, {"0": 1}, {"0": 0}]
    found = replay(checkpoints.at_iteration(0), step)
    assert (found.reason, found.state["found"], found.verified) == ("", [0, 10, 20], 1)


def test_threads_of_a_step_take_part_with_its_context(
    checkpoints: Checkpointer, offline: Interview
) -> None:
    def step(state: State) -> State:
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(copy_context().run, offline.step, state).result()

    async def awaited(state: State) -> State:
        return await asyncio.to_thread(offline.step, state)

    for each in (step, awaited):
        assert replay(checkpoints.at_iteration(1), each).verified == 4
