"""Waiting: how long, and what ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest
from starlette.requests import ClientDisconnect

from tests.server.wire.test_incoming import Wire, make, part
from workbench.server.wire.waiting import Stop, wait


def run(waiting: Awaitable[None]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(waiting, 60)

    asyncio.run(bounded())


def test_a_wait_ends_after_its_time() -> None:
    async def scenario() -> None:
        request, stop = make(Wire()), Stop()
        await wait(request, 0.001, stop.future)
        await wait(request, 0.001, stop.future)
        await stop.pause(0.001)

    run(scenario())


@pytest.mark.parametrize("messages", [[], [part(b"late")]])
@pytest.mark.parametrize("seconds", [600, None])
def test_a_wait_ends_with_the_client(messages: list[dict[str, object]], seconds: int) -> None:
    async def scenario() -> None:
        wire = Wire(messages)
        asyncio.get_running_loop().call_later(0.01, wire.hang_up)
        with pytest.raises(ClientDisconnect):
            await wait(make(wire), seconds, Stop().future)

    run(scenario())


def test_what_a_client_still_sends_does_not_end_a_wait() -> None:
    run(wait(make(Wire([part(b"late"), part(b"later")])), 0.001))


def test_nothing_looks_for_the_client_after_the_end() -> None:
    async def scenario() -> None:
        before = asyncio.all_tasks()
        await wait(make(Wire()), 0.001)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before

    run(scenario())


def test_a_wait_ends_with_the_server() -> None:
    async def scenario() -> None:
        request, stop = make(Wire()), Stop()
        asyncio.get_running_loop().call_later(0.01, stop.set)
        await wait(request, 600, stop.future)
        await wait(request, 600, stop.future)
        await stop.pause(600)

    run(scenario())
