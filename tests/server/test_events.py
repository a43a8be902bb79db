"""Server events: who hears them, and how long."""

from __future__ import annotations

import asyncio

from workbench.server.events import MAX_WAITING, Events


def test_a_listener_that_does_not_read_is_let_go_with_what_it_has() -> None:
    async def heard() -> tuple[bytes, bytes]:
        events = Events()
        slow, quick = events.stream(dict), events.stream(dict)
        await anext(slow)
        await anext(quick)
        for number in range(MAX_WAITING):
            events.publish("miss", {"number": number})
        read = await anext(quick)
        for number in range(MAX_WAITING, MAX_WAITING + 2):
            events.publish("miss", {"number": number})
        read += await anext(quick)
        assert len(events.listeners) == 1
        return b"".join([piece async for piece in slow]), read

    late, read = asyncio.run(heard())
    assert late.count(b"event: miss\n") == MAX_WAITING
    assert read.count(b"event: miss\n") == MAX_WAITING + 2
    assert late.endswith(b'{"number":%d}\n\n' % (MAX_WAITING - 1))
