"""Drift: what is asked again, how many at one time, and what is left out."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_server import reply
from tests.session.support import chat, tool
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.fixture.names import variant_name
from workbench.io.fixture.store import FixtureStore
from workbench.session.answers.drift import (
    StoredReply,
    ask_again,
    shape_differences,
    stored_replies,
)
from workbench.session.answers.upstream import NoAnswerError
from workbench.session.preview.preview import preview

TEXT = {"content": "x", "finish_reason": "stop"}
PATIENCE_SECONDS = 60


def body_of(payload: dict[str, Any], response: dict[str, Any]) -> bytes:
    """The body of a reply of the real API."""
    document = new_document("0" * 64, response)
    return preview(document, "0" * 64, payload, profile="openai").envelope


def write(folder: Path, payload: dict[str, Any], response: dict[str, Any], **more: Any) -> Path:
    path = folder / f"{digest(payload)}.json"
    path.write_text(new_document(digest(payload), response, **{"request": payload, **more}).text)
    return path


def test_what_is_asked_and_what_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, chat("fine"), TEXT)
    write(tmp_path, chat("no request"), TEXT, request=None)
    partial = {"model": "gpt-4o", "_left_out": ["messages"]}
    write(tmp_path, chat("too large"), TEXT, request=partial)
    write(tmp_path, chat("an error"), {"error": {"status": 429, "message": "slow down"}})
    write(tmp_path, chat("cut off"), {**TEXT, "disconnect_after": 1})
    write(tmp_path, chat("broken"), TEXT).write_text("{")
    write(tmp_path, chat("wrong"), {"content": 5})
    plain, offering = chat("variants"), chat("variants", tools=[tool()])
    write(tmp_path, plain, TEXT)
    variant = variant_name(digest(plain), view(offering))
    other = new_document(digest(plain), {"content": "y"}, request=offering)
    (tmp_path / f"{variant}.json").write_text(other.text)

    store = FixtureStore(tmp_path)
    found = list(stored_replies(store, store.fixtures()))
    asked = {one.name: one.response for one in found if one.state is None}
    assert asked == {
        digest(chat("fine")): TEXT,
        digest(plain): TEXT,
        variant: {"content": "y"},
    }
    reasons = {one.name: one.reason for one in found if one.state == "skipped"}
    assert reasons[digest(chat("no request"))].startswith("it stores no request; add the request")
    assert "without the messages" in reasons[digest(chat("too large"))]
    assert reasons[digest(chat("an error"))] == reasons[digest(chat("cut off"))]
    assert "on purpose" in reasons[digest(chat("cut off"))]
    assert reasons[digest(chat("broken"))].startswith("it cannot be read: ")
    assert "content is a number" in reasons[digest(chat("wrong"))]
    assert len(reasons) + len(asked) == len(found)


def test_so_many_at_one_time() -> None:
    """All slots are taken before any is answered, and no more than these."""
    stored = [StoredReply(str(number), chat(str(number)), TEXT) for number in range(7)]
    found: list[StoredReply] = []
    waiting, most = 0, 0

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal waiting, most
        await reader.readuntil(b"\r\n\r\n")
        waiting += 1
        most = max(most, waiting)
        if waiting == 3:
            full.set()
        await full.wait()
        await asyncio.sleep(0.02)  # in which another one would come
        waiting -= 1
        writer.write(reply(body_of(chat(), TEXT)))
        await writer.drain()
        writer.close()

    async def work() -> None:
        async with await asyncio.start_server(answered, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            url = f"http://127.0.0.1:{port}/v1"
            async with asyncio.timeout(PATIENCE_SECONDS):
                await ask_again(url, stored, found.append, jobs=3)

    full = asyncio.Event()
    asyncio.run(work())
    assert most == 3
    assert sorted(one.name for one in found) == [one.name for one in stored]
    assert {one.state for one in found} == {"same"}


def test_a_url_that_cannot_be_asked() -> None:
    with pytest.raises(NoAnswerError, match="is not a URL"):
        asyncio.run(ask_again("nonsense", [], lambda _: None))


# Shapes

TOOLS = chat("weather?", tools=[tool(), tool("get_time")])
PLAN = {"type": "object", "properties": {"steps": {"type": "array"}}, "required": ["steps"]}
STRUCTURED = chat(
    "plan", response_format={"type": "json_schema", "json_schema": {"name": "plan", "schema": PLAN}}
)
CITY = '{"city": "London"}'


def text(content: str, **more: object) -> dict[str, Any]:
    return {"content": content, "finish_reason": "stop", **more}


def calls(*given: tuple[str, str]) -> dict[str, Any]:
    made = [
        {"index": n, "id": f"c{n}", "type": "function", "function": {"name": name, "arguments": of}}
        for n, (name, of) in enumerate(given)
    ]
    return {"content": "", "tool_calls": made, "finish_reason": "tool_calls"}


@pytest.mark.parametrize(
    ("payload", "before", "after", "expected"),
    [
        (chat(), text("one"), text("other words", usage={"prompt_tokens": 9}), {}),
        (TOOLS, calls(("get_weather", CITY)), calls(("get_weather", '{"city": "Rome"}')), {}),
        (
            TOOLS,
            calls(("get_weather", CITY), ("get_time", CITY)),
            calls(("get_time", CITY), ("get_weather", CITY)),
            {},
        ),
        (
            TOOLS,
            calls(("get_weather", CITY)),
            text("It rains."),
            {"tools": ("get_weather", "none"), "finish reason": ("tool_calls", "stop")},
        ),
        (
            TOOLS,
            calls(("get_weather", CITY)),
            calls(("get_weather", CITY), ("get_weather", CITY)),
            {"tools": ("get_weather", "get_weather, get_weather")},
        ),
        (
            TOOLS,
            calls(("get_weather", CITY)),
            calls(("get_weather", '{"town": 1}')),
            {"arguments-schema": ("fits", "call 0: city is missing; get_weather requires it")},
        ),
        (TOOLS, calls(("get_weather", "{}")), calls(("get_weather", "{}")), {}),
        (
            STRUCTURED,
            text('{"steps": []}'),
            text('{"steps": 5}'),
            {
                "response-format-violated": (
                    "fits",
                    "content: steps: a list, not 5",
                )
            },
        ),
        (
            chat(),
            text("x", finish_reason="length"),
            text("", refusal="I will not."),
            {"finish reason": ("length", "stop"), "refusal": ("no", "yes")},
        ),
    ],
)
def test_what_counts_as_the_shape_of_a_reply(
    payload: dict[str, Any],
    before: dict[str, Any],
    after: dict[str, Any],
    expected: dict[str, tuple[str, str]],
) -> None:
    differences = shape_differences(payload, before, after)
    assert {one.what: (one.before, one.after) for one in differences} == expected
