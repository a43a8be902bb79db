"""Event streams of AWS are written and read as its clients do."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from workbench.core.apis import eventstream

# Messages that AWS publishes for those who write clients.
EMPTY = bytes.fromhex("00000010 00000000 05c248eb 7d98c8ff")
PAYLOAD = bytes.fromhex("0000001d 00000000 fd528c5a 7b27666f6f273a27626172277d c3653936")
# With a header that is a number.
NUMBER = bytes.fromhex(
    "0000002d 00000010 41c424b8 0a 6576656e742d74797065 04 0000a00c"
    "7b27666f6f273a27626172277d 36f480a0"
)


@each_case(
    "frame, payload",
    [(EMPTY, b""), (PAYLOAD, b"{'foo':'bar'}"), (NUMBER, b"{'foo':'bar'}")],
)
def test_messages_of_others_are_read(frame: bytes, payload: bytes) -> None:
    assert eventstream.decoded(frame) == eventstream.EventMessage({}, payload)


@given(st.lists(st.binary(max_size=40)))
def test_what_is_written_is_read(payloads: list[bytes]) -> None:
    stream = b"".join(eventstream.event("messageStop", payload) for payload in payloads)
    frames = list(eventstream.frames(stream))
    messages = [eventstream.decoded(frame) for frame in frames]
    assert b"".join(frames) == stream
    assert [message.payload for message in messages if message] == payloads
    assert {message.kind for message in messages if message} <= {"messageStop"}


def test_a_chunk_wraps_other_json() -> None:
    message = eventstream.decoded(eventstream.chunk(b'{"type":"ping"}'))
    assert message is not None
    assert message.data == b'{"type":"ping"}'
    assert json.loads(message.payload).keys() == {"bytes"}
    assert list(eventstream.texts(eventstream.chunk(b"{}"))) == ["{}"]


def test_an_exception_names_its_kind() -> None:
    message = eventstream.decoded(eventstream.exception("throttlingException", b"{}"))
    assert message is not None
    assert (message.kind, message.is_exception) == ("throttlingException", True)


@pytest.mark.parametrize("at", range(len(PAYLOAD)))
def test_a_damaged_or_cut_message_is_none(at: int) -> None:
    damaged = bytes([*PAYLOAD[:at], PAYLOAD[at] ^ 1, *PAYLOAD[at + 1 :]])
    assert eventstream.decoded(damaged) is None
    assert eventstream.decoded(PAYLOAD[:at]) is None
    assert eventstream.last(EMPTY + PAYLOAD[:at]) == (None if at else eventstream.decoded(EMPTY))


@each_case(
    "content_type, body, expected",
    [
        (eventstream.CONTENT_TYPE, b"", True),
        ("application/json", b"", False),
        ("application/json", PAYLOAD, True),
        ("", PAYLOAD[:12], True),
        (eventstream.CONTENT_TYPE, b'{"message": "Too many"}', False),
        ("", b"data: {}\n\ndata: {}\n\n", False),
    ],
)
def test_how_a_body_begins_says_what_it_is(content_type: str, body: bytes, expected: bool) -> None:
    assert eventstream.is_stream(content_type, body) is expected


def test_a_part_of_a_stream_is_shown_as_its_json() -> None:
    stream = eventstream.event("messageStart", b'{"role":"assistant"}') + eventstream.chunk(b"{}")
    assert eventstream.shown(stream) == '{"role":"assistant"}\n{}'
    assert eventstream.shown(stream[:-1]).startswith('{"role":"assistant"}\n\0')
