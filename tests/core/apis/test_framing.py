"""The frames of streams, and what they hold."""

from __future__ import annotations

import json

from tests.cases import each_case
from workbench.core.apis.eventstream import chunk, event
from workbench.core.apis.framing import EVENTSTREAM, NDJSON, SSE, Framing, texts
from workbench.core.fixture.recorded import error_response
from workbench.core.written.reply import reply_without_credentials


@each_case(
    "framing, body, frames, held",
    [
        (
            SSE,
            b'data: {"a": 1}\n\n\nevent: x\r\ndata: {}\r\n\r\ndata: {"cut',
            [b'data: {"a": 1}\n\n', b"\n", b"event: x\r\ndata: {}\r\n\r\n", b'data: {"cut'],
            ['{"a": 1}', "{}", '{"cut'],
        ),
        (
            NDJSON,
            b'{"a": 1}\r\n\n {"b": "\xc2\x85"}\n{"cut',
            [b'{"a": 1}\r\n', b"\n", b' {"b": "\xc2\x85"}\n', b'{"cut'],
            ['{"a": 1}\r\n', ' {"b": "\x85"}\n', '{"cut'],
        ),
        (
            EVENTSTREAM,
            chunk(b"{}") + chunk(b"[]") + b"\0\0",
            [chunk(b"{}"), chunk(b"[]"), b"\0\0"],
            ["{}", "[]"],
        ),
        (SSE, b"", [], []),
        (EVENTSTREAM, b"", [], []),
        (NDJSON, b"", [], []),
    ],
)
def test_a_stream_is_cut_into_its_frames(
    framing: Framing, body: bytes, frames: list[bytes], held: list[str]
) -> None:
    assert list(framing.frames(body)) == frames
    assert b"".join(framing.frames(body)) == body
    assert list(framing.texts(body)) == held


@each_case(
    "content_type, body, expected",
    [
        ("application/x-ndjson", b"", True),
        ("Application/X-NDJSON; charset=utf-8", b"", True),
        ("application/json", b'{"done": true}\n', False),
        ("application/json", b'{"done": false}\n{"done"', True),
        ("", b'{\n  "done": true\n}', False),
        ("", b'{"cut', False),
        ("text/event-stream", b"data: {}\n\n", False),
    ],
)
def test_what_a_stream_of_lines_is(content_type: str, body: bytes, expected: bool) -> None:
    assert NDJSON.is_stream(content_type, body) is expected


@each_case(
    "body, held",
    [
        (b"data: 1\n\ndata: 2\n\n", ["1", "2"]),
        (b'{"a": 1}\n{"b": 2}\n', ['{"a": 1}\n', '{"b": 2}\n']),
        (event("metadata", b"{}") + chunk(b'{"a": 1}'), ["{}", '{"a": 1}']),
        (b'{"a": 1}', []),
        (b"<html>\ndata: 1\n\n", []),
    ],
)
def test_how_a_body_is_cut_shows_in_it(body: bytes, held: list[str]) -> None:
    assert list(texts(body)) == held


def test_the_error_in_the_first_frame_of_a_stream_is_read() -> None:
    error = {"status": 500, "message": "no memory"}
    line = json.dumps({"error": "no memory"}).encode()
    for body in (line, line + b"\n{}\n", b"data: " + line + b"\n\n"):
        assert error_response(500, body) == {"error": error}


def test_a_credential_in_any_frame_is_not_written() -> None:
    frames = [{"ok": 1}, {"api_key": "abcdef0123456789"}]
    lines = b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)
    shown = reply_without_credentials(lines)
    assert b"abcdef0123456789" not in shown
    assert len(shown) == len(lines)
