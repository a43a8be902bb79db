"""Two recordings side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values, texts
from workbench.core.digest import digest
from workbench.core.recordings import branches
from workbench.core.recordings.exchanges import Exchange, Raised, Returned, Sent
from workbench.core.replies.response import FixtureError


def chat(text: str, position: int = 1, *, stream: bool = False, reply: str = "fine") -> Exchange:
    payload = {"model": "m", "messages": [{"role": "user", "content": text}]}
    exchange = Exchange(position, "ask", position, payload, Returned(None), digest(payload))
    return branches.replaced(replace(exchange, stream=stream), {"content": reply})


def call(value: Any, position: int = 1) -> Exchange:
    return Exchange(position, "tool", position, {"a": value}, Returned(value))


@given(st.lists(json_values, max_size=4))
def test_a_recording_does_not_part_from_itself(values: list[Any]) -> None:
    recording = [call(value, number) for number, value in enumerate(values, 1)]
    assert list(branches.exchange_differences(recording, recording)) == []


def test_the_shape_a_reply_was_sent_in_is_no_difference() -> None:
    plain, streamed = chat("hi"), chat("hi", stream=True)
    assert plain.outcome != streamed.outcome
    assert list(branches.exchange_differences([plain], [streamed])) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ([call(1)], [call(2)], 'exchange 1 (tool): request: a: 1 -> 2'),
        (
            [chat("hi")],
            [chat("ho")],
            'exchange 1 (ask): request: messages[0].content: "hi" -> "ho"',
        ),
        (
            [chat("hi")],
            [chat("hi", reply="not fine")],
            'exchange 1 (ask): reply: content: "fine" -> "not fine"',
        ),
        ([call(1)], [chat("hi")], 'exchange 1 (ask): node: "tool" -> "ask"'),
        ([chat("hi")], [call(1)], 'exchange 1 (tool): node: "ask" -> "tool"'),
        ([call(1)], [], "exchange 1 (tool): only before"),
        ([], [call(1)], "exchange 1 (tool): only after"),
        (
            [call(1)],
            [replace(call(1), outcome=Raised("KeyError", "x"))],
            'exchange 1 (tool): reply: the value: 1 -> {"raised": "KeyError", "message": "x"}',
        ),
        (
            [replace(chat("hi"), outcome=Sent(500, "text/plain", b"no\xff"))],
            [replace(chat("hi"), outcome=Sent(502, "text/plain", b"no\xff"))],
            "exchange 1 (ask): reply: status: 500 -> 502",
        ),
    ],
)  # fmt: skip
def test_where_two_recordings_part(
    before: list[Exchange], after: list[Exchange], said: str
) -> None:
    assert [str(parting) for parting in branches.exchange_differences(before, after)] == [said]


@given(texts, st.booleans())
def test_a_replaced_reply_says_what_it_was_given(text: str, stream: bool) -> None:
    forked = chat("hi", stream=stream, reply=text)
    assert forked.source == "replaced"
    assert branches.reply_value(forked) == {"content": text, "finish_reason": "stop"}


def test_a_reply_the_server_could_not_send_is_refused() -> None:
    with pytest.raises(FixtureError, match="content is a number"):
        branches.replaced(chat("hi"), {"content": 1})
