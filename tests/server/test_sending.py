"""Refusals of requests whose reply has begun: in the shape that is left to them."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.server.test_http import Wire, make
from workbench.core import wire
from workbench.core.wire import ProfileName
from workbench.server.http import Header, RefusedError
from workbench.server.log import Clock, LogSink
from workbench.server.sending import JSON, STREAM, Sender

LATE = RefusedError(500, "internal_error", "the disk is on fire")


def refused(profile: ProfileName, head: list[Header]) -> bytes:
    """The body of a refusal behind a head that was sent already."""
    client = Wire()

    async def scenario() -> None:
        request = make(client)
        sender = Sender(LogSink(), Clock(), wire.PROFILES[profile])
        await sender.start(request, head)
        await sender.refuse(request, LATE)

    asyncio.run(scenario())
    starts = [message for message in client.sent if message["type"] == "http.response.start"]
    assert [start["status"] for start in starts] == [200]
    return b"".join(message.get("body", b"") for message in client.sent)


@pytest.mark.parametrize("profile", ["stub", "openai"])
def test_of_a_stream_it_is_an_event(profile: ProfileName) -> None:
    data = refused(profile, STREAM)
    assert data.startswith(b"data: ")
    assert data.endswith(b"\n\n")
    assert data.count(b"\n") == 2
    assert json.loads(data[6:])["error"]["message"] == "the disk is on fire"


@pytest.mark.parametrize("profile", ["stub", "openai"])
def test_of_a_plain_reply_it_is_the_body(profile: ProfileName) -> None:
    error = json.loads(refused(profile, [JSON]))["error"]
    assert (error["type"], error["code"]) == ("server_error", "internal_error")
