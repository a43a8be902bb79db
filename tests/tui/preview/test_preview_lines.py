"""Envelope, frames, bytes, proof and verification as lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from tests import strategies
from tests.cases import each_case
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.replies.body_difference import BodyDifference
from workbench.core.replies.http_reply import Frame, HTTPReply
from workbench.core.text.inert import unsafe
from workbench.io.network.http_client import TimedReply
from workbench.session.preview.preview import Preview, preview
from workbench.session.preview.verify import Claim, Verification, VerifiedReply
from workbench.tui.lines.json_lines import STRING_LIMIT, cut, json_lines
from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.text_lines import SHOWN_BYTES as BYTE_LIMIT
from workbench.tui.lines.text_lines import byte_lines
from workbench.tui.preview.playback import Playback, arrivals
from workbench.tui.preview.preview_lines import envelope_lines, frame_lines
from workbench.tui.preview.proof_lines import proof_line, proof_report, short_proof
from workbench.tui.preview.verify_lines import (
    verification_lines,
    verification_text,
    verifying_lines,
)

PAYLOAD = {"model": "gpt-4o", "messages": [{"role": "user", "content": "joke"}]}
DIGEST = digest(PAYLOAD)
JOKE = "A stub walks into a bar. The barman says: I know that one."
HOSTILE = "\x1b]52;c;aGk=\x07\x1b[31m[/bold] [red]x\x00 \u202ertl\u2028[@click=app.quit]y[/]"
CALL = {
    "index": 0,
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "London "}'},
}


ERROR = {"status": 503, "message": "Busy.", "retry_after": 7}


def shown(**response: Any) -> Preview:
    return preview(new_document(DIGEST, response), DIGEST, PAYLOAD)


def shown_as_real(**response: Any) -> Preview:
    """In profile openai."""
    payload = {**PAYLOAD, "stream_options": {"include_usage": True}}
    return preview(new_document(DIGEST, response), DIGEST, payload, profile="openai")


def text(lines: Any) -> list[str]:
    return [line.plain for line in lines]


def frames(made: Preview, played: Playback | None = None, **more: Any) -> list[str]:
    playback = played or Playback(arrivals(made.frames, made.delivery.chunk_delay_ms))
    return text(frame_lines(made, playback, 80, **more))


# JSON for a width


@given(strategies.json_values, st.integers(1, 120))
def test_nothing_of_a_value_is_lost(value: Any, width: int) -> None:
    assert json.loads("\n".join(json_lines(value, width=width))) == value


@given(strategies.json_values, st.integers(20, 120))
def test_what_has_room_on_one_line_stands_on_one(value: Any, width: int) -> None:
    whole = json.dumps(value, ensure_ascii=False)
    lines = list(json_lines(value, width=width))
    if len(whole) <= width:
        assert lines == [whole]
    elif isinstance(value, dict | list) and value:
        assert len(lines) > 2


def test_the_widths_of_lines() -> None:
    value = {"a": [1, 2, 3], "b": {"c": "ddddd"}}
    assert list(json_lines(value, width=60)) == ['{"a": [1, 2, 3], "b": {"c": "ddddd"}}']
    assert list(json_lines(value, width=22)) == [
        "{",
        '  "a": [1, 2, 3],',
        '  "b": {"c": "ddddd"}',
        "}",
    ]
    assert list(json_lines(value, width=16))[1:5] == ['  "a": [', "    1,", "    2,", "    3"]


def test_long_strings_are_cut_and_depths_ended() -> None:
    (line,) = json_lines("x" * (STRING_LIMIT + 1_234), width=80)
    assert line.endswith('x"… 1,234 more characters')
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    lines = list(json_lines(deep, width=80))
    assert "…" in lines[len(lines) // 2]
    assert len(lines) < 200
    assert cut("abc", 2) == "ab… 1 more characters"


# The shapes


def test_the_envelope_names_its_clock() -> None:
    lines = text(envelope_lines(shown(content='"created": 0,'), 50))
    assert lines[0] == "envelope  200 application/json   264 bytes"
    assert '  "created": <clock>,' in lines
    assert sum("<clock>" in line for line in lines) == 1


@pytest.mark.parametrize("width", [30, 41, 42, 80])
def test_a_head_without_room_for_its_facts_has_a_second_line(width: int) -> None:
    head, *below = text(envelope_lines(shown(content='"created": 0,'), width))
    assert len(head) <= width
    if width < 42:
        assert (head, below[0]) == ("envelope  200 application/json", " " * 10 + "264 bytes")
    else:
        assert head == "envelope  200 application/json   264 bytes"
    assert below[width < 42] == ""


def test_a_key_named_like_the_clock_is_shown() -> None:
    call = {**CALL, "created": 0}
    lines = text(envelope_lines(shown(tool_calls=[call], finish_reason="tool_calls"), 30))
    said = [line.strip() for line in lines if "created" in line]
    assert said == ['"created": 0,', '"created": <clock>,']


def test_the_envelope_fits_its_width() -> None:
    made = shown(content="short")
    for width in (40, 60, 120):
        lines = text(envelope_lines(made, width))[2:]
        assert max(map(len, lines)) <= width


def test_frames_have_borders() -> None:
    assert frames(shown(content=JOKE))[2:] == [
        ' 0  role     content=""',
        " 1  content  ▕A stub walks▏",
        " 2  content  ▕ into a bar.▏",
        " 3  content  ▕ The barman ▏",
        " 4  content  ▕says: I know▏",
        " 5  content  ▕ that one.▏ finish_reason=stop",
        " 6           [DONE]",
    ]


def test_arguments_have_borders() -> None:
    lines = frames(shown(tool_calls=[CALL], finish_reason="tool_calls"))
    assert lines[3:] == [
        ' 1  calls    ▕{"city": "London "}▏',
        " 2  finish   finish_reason=tool_calls",
        " 3           [DONE]",
    ]


def test_frames_as_the_real_api_sends_them() -> None:
    response = {"tool_calls": [CALL, {**CALL, "id": "call_2"}], "finish_reason": "tool_calls"}
    made = shown_as_real(content="abc", **response, usage={"prompt_tokens": 5})
    assert frames(made)[2:] == [
        ' 0  role     content=""',
        " 1  content  ▕a▏",
        " 2  content  ▕b▏",
        " 3  content  ▕c▏",
        " 4  call     get_weather",
        ' 5  argument ▕{"ci▏',
        ' 6  argument ▕ty":▏',
        ' 7  argument ▕ "Lo▏',
        " 8  argument ▕ndon▏",
        ' 9  argument ▕ "}▏',
        "10  call     get_weather",
        '11  argument ▕{"ci▏',
        '12  argument ▕ty":▏',
        '13  argument ▕ "Lo▏',
        "14  argument ▕ndon▏",
        '15  argument ▕ "}▏',
        "16  finish   finish_reason=tool_calls",
        "17  usage    5 + 15 = 20 tokens",
        "18           [DONE]",
    ]
    proof = short_proof(made, 80)
    assert proof is not None
    assert proof.plain == "streamed or not"
    one = shown_as_real(content="", tool_calls=[CALL], finish_reason="tool_calls")
    assert frames(one)[2] == " 0  role     content=null call get_weather"


def test_an_empty_answer_needs_no_proof() -> None:
    assert short_proof(shown(content=""), 80) is None


def test_a_finish_stands_apart_from_the_name_of_its_event() -> None:
    asked = {"api": "responses", "model": "m", "input": "joke"}
    made = preview(new_document(DIGEST, {"content": "x"}), DIGEST, asked)
    assert frames(made)[-1] == " 8  finish   response.completed finish_reason=stop"


# Where no completion comes to its end


def test_an_error_is_the_same_beside_the_envelope() -> None:
    made = shown(error=ERROR, delay_ms=1500)
    head = "503 application/json   Retry-After: 7   108 bytes   after 1,500 ms"
    assert text(envelope_lines(made, 80))[0] == f"envelope  {head}"
    assert frames(made)[0] == f"stream  {head}"
    assert frames(made)[2:] == text(envelope_lines(made, 80))[2:]
    assert json.loads("\n".join(frames(made)[2:]))["error"]["message"] == "Busy."
    assert frames(made, as_bytes=True)[2:] == text(envelope_lines(made, 80, as_bytes=True))[2:]
    said = "no completion  error 503, streamed or not"
    assert proof_line(made, 80).plain == said
    assert text(proof_report(made, 80))[2:] == [said]
    proof = short_proof(made, 80)
    assert proof is not None
    assert proof.plain == "error 503, streamed or not"


def test_a_proof_without_room_says_less_and_is_not_cut() -> None:
    made = shown(content=JOKE)
    whole = proof_line(made, 120).plain
    assert whole.endswith("characters) · finish stop = stop")
    assert proof_line(made, 50).plain == "✓ client  5 pieces put together · finish stop"


def test_a_stream_that_breaks_off() -> None:
    made = shown(content=JOKE, disconnect_after=2)
    assert frames(made)[0] == "stream  200 text/event-stream   2 frames, 407 bytes"
    assert frames(made)[2:] == [
        ' 0  role     content=""',
        " 1  content  ▕A stub walks▏",
        "… then the connection is closed after 2 frames",
    ]
    assert frames(made, as_bytes=True)[-1] == "… then the connection is closed after 2 frames"
    assert text(envelope_lines(made, 80))[2:] == ["… then the connection is closed before the body"]
    assert proof_line(made, 80).plain == "no completion  the connection is closed after 2 frames"
    playback = Playback(arrivals(made.frames))
    playback.step(-1)
    assert frames(made, playback)[-1] == "so far  ▕"


@pytest.mark.parametrize("as_bytes", [False, True])
def test_no_reply_at_all_is_shown(as_bytes: bool) -> None:
    made = shown(disconnect_after=0)
    end = "… the connection is closed before anything is sent"
    assert frames(made, as_bytes=as_bytes) == ["stream  no reply", "", end]
    lines = envelope_lines(made, 80, as_bytes=as_bytes)
    assert text(lines) == ["envelope  no reply", "", end]


def test_line_ends_stay_in_their_frame() -> None:
    lines = frames(shown(content="a\nb\tc"))
    assert [line[13:] for line in lines[3:8]] == [
        "▕a▏",
        "▕\\n▏",
        "▕b▏",
        "▕\\t▏",
        "▕c▏ finish_reason=stop",
    ]


def test_frames_that_have_not_arrived() -> None:
    made = shown(content=JOKE)
    playback = Playback(arrivals(made.frames))
    playback.step(-5)
    lines = frames(made, playback)
    assert lines[0] == "stream  200 text/event-stream   2 of 7 frames   0.2 s"
    assert lines[3:6] == [" 1  content  ▕A stub walks▏", " 2  ·", " 3  ·"]
    assert lines[-1] == "so far  ▕A stub walks"


def test_the_end_of_a_long_text_is_what_is_seen_of_it_so_far() -> None:
    made = shown(content="x" * 9_999 + "end!" + "y")
    playback = Playback(arrivals(made.frames))
    playback.step(-1)
    assert frames(made, playback)[-1].endswith("end!y")
    assert len(frames(made, playback)[-1]) < 1_100


def test_a_list_as_content_is_shown_as_it_goes_out() -> None:
    lines = frames(shown(content=["a", "b"]))
    assert ' 1  content  ▕["a"]▏' in lines


def test_raw_frames_are_exactly_their_bytes() -> None:
    made = shown(content="naïve\n🚀")
    lines = frames(made, as_bytes=True)[2:]
    rows = "".join(line[4:] for line in lines)
    assert rows == "".join(repr(f.data)[2:-1] for f in made.frames).replace("\\\\", "\\")
    assert "\\xc3\\xaf" in rows
    assert lines[0].startswith(" 0  data: {")
    assert max(map(len, lines)) <= 80


def test_the_raw_envelope_is_exactly_its_bytes() -> None:
    made = shown(content="naïve")
    lines = text(envelope_lines(made, 50, as_bytes=True))[2:]
    assert "".join(lines) == made.envelope[:-1].decode() + "\\n"
    assert all(len(line) == 50 for line in lines[:-1])


@given(st.binary(max_size=300), st.integers(1, 60))
def test_raw_rows_hold_every_byte_and_nothing_that_acts(data: bytes, width: int) -> None:
    lines = list(byte_lines(data, width, Content(" 0  ")))
    rows = "".join(line.plain[4:] for line in lines)
    # A backslash stands for itself, as a reader of JSON expects it; escapes are dimmed.
    assert rows == b"".join(
        bytes([b]) if 0x20 <= b < 0x7F else repr(bytes([b]))[2:-1].encode() for b in data
    ).decode("ascii")
    dimmed = sum(span.end - span.start for line in lines for span in line.spans)
    assert dimmed == sum(len(repr(bytes([b]))) - 3 for b in data if not 0x20 <= b < 0x7F)


def test_long_bodies_are_cut() -> None:
    (*_, last) = byte_lines(b"x" * (BYTE_LIMIT + 5), 80, Content(""))
    assert last.plain == "… 5 more bytes; y copies all"
    made = shown(content="x" * 1_000_000)
    for lines in (envelope_lines(made, 80), envelope_lines(made, 80, as_bytes=True)):
        assert sum(map(len, text(lines))) < 50_000
    assert sum(map(len, frames(made))) < 50_000
    assert sum(map(len, frames(made, as_bytes=True))) < 150_000
    assert sum(map(len, text(proof_report(made, 80)))) < 50_000
    unsafe = text(envelope_lines(shown(content="\u2028" * 100_000), 80))
    assert max(map(len, unsafe)) < 7_000
    many = shown(tool_calls=[{"x": [1] * 100_000}], finish_reason="tool_calls")
    assert len(list(envelope_lines(many, 20))) < 1_100


@each_case("width", [20, 60, 120])
@each_case(
    "response",
    [
        {"content": HOSTILE},
        {"content": HOSTILE * 500},
        {"content": "x", "finish_reason": HOSTILE},
        {"tool_calls": [{**CALL, "function": {"name": HOSTILE, "arguments": HOSTILE}}]},
        {"tool_calls": [{HOSTILE: HOSTILE}]},
        {"error": {"message": HOSTILE, "type": HOSTILE, "code": HOSTILE}},
    ],
)
@each_case("make", [shown, shown_as_real])
def test_hostile_text_is_inert_in_every_view(
    make: Callable[..., Preview], response: dict[str, Any], width: int
) -> None:
    made = make(**response)
    playback = Playback(arrivals(made.frames))
    half = Playback(arrivals(made.frames))
    half.step(-2)
    views: list[list[Line]] = [
        list(envelope_lines(made, width)),
        list(envelope_lines(made, width, as_bytes=True)),
        list(frame_lines(made, playback, width)),
        list(frame_lines(made, half, width)),
        list(frame_lines(made, playback, width, as_bytes=True)),
        list(proof_report(made, width)),
        [proof_line(made, 80)],
    ]
    for lines in views:
        for line in lines:
            assert not unsafe().search(line.plain)
            if isinstance(line, Content):
                assert "@click" not in str([span.style for span in line.spans])


# The proof


def test_the_proof_says_what_was_compared() -> None:
    lines = text(proof_report(shown(content=JOKE), 80))
    assert lines[2:4] == [
        "✓ 5 pieces of at most 12 put together = message.content (58 characters)",
        "✓ finish stop = stop",
    ]
    assert json.loads("\n".join(lines[6:])) == {"finish_reason": "stop", "content": JOKE}
    assert text(proof_report(shown(content=""), 80))[2] == "✓ no text = message.content"


def test_the_proof_says_what_a_client_does_not_get() -> None:
    made = shown(content="lost", tool_calls=[CALL], finish_reason="tool_calls")
    lines = text(proof_report(made, 80))
    assert lines[2] == "≠ content is lost when this is streamed, because only the calls are sent"
    assert not any(line.startswith("✓") for line in lines)
    assert "lost" not in lines[-1]


def test_a_draft_the_server_cannot_use() -> None:
    made = shown(content={"not": "text"})
    assert text(proof_report(made, 80))[2].startswith(
        "× cannot be used, so the request is a miss: "
    )


# A verification


def checked(kind: str, times: tuple[float, float], **more: Any) -> VerifiedReply:
    body = more.pop("body", b"")
    reply = TimedReply(more.pop("status", 200), {"content-type": kind}, body, *times)
    wanted = more.pop("wanted", None) or HTTPReply(
        200, kind, [Frame("body", b"")], is_stream="event-stream" in kind
    )
    values: dict[str, Any] = {"problem": "", "difference": None, **more}
    return VerifiedReply(reply, wanted, **values)


def verification(**more: Any) -> Verification:
    values: dict[str, Any] = {
        "envelope": checked("application/json", (2.1, 2.1)),
        "stream": checked("text/event-stream; charset=utf-8", (1.4, 1004.0)),
        **more,
    }
    claim = Claim("http://127.0.0.1:7897/v1", DIGEST, PAYLOAD, "")
    return Verification(claim, datetime(2026, 11, 20, 10, 11, 40), **values)


def test_a_verification_as_it_is_designed() -> None:
    lines = text(verification_lines(verification(), 116))
    assert [line.rstrip() for line in lines] == [
        "Verified 10:11:40 against 127.0.0.1:7897" + " " * 58 + "v again · y copies",
        "",
        "✓ envelope   200 application/json    as previewed apart from created"
        + " " * 42
        + "2.1 ms",
        "✓ stream     200 text/event-stream   as previewed apart from created"
        + " " * 20
        + "first 1.4 ms   all 1004.0 ms",
    ]


@each_case("width", range(60, 140, 7))
def test_a_verification_fits_any_width(width: int) -> None:
    for line in text(verification_lines(verification(), width)):
        assert len(line.rstrip()) <= width


def test_a_stream_that_differs() -> None:
    difference = BodyDifference(161, 'The barman "}', 'the barman "}')
    stream = checked("text/event-stream", (1.0, 2.0), difference=difference)
    lines = text(verification_lines(verification(stream=stream), 116))
    assert lines[0].startswith("Differs 10:11:40")
    assert lines[3].startswith("≠ stream     200 text/event-stream   differs")
    assert lines[4:] == [
        '             byte 161  expected  The barman "}',
        '                       actual    the barman "}',
    ]


def test_a_difference_stays_on_its_lines() -> None:
    difference = BodyDifference(171, "x" * 40, "")
    envelope = checked("application/json", (1.0, 1.0), difference=difference)
    lines = text(verification_lines(verification(envelope=envelope), 60))
    assert lines[3].endswith("expected  " + "x" * 26 + "…")
    assert lines[4].endswith("actual    nothing more")
    assert max(map(len, lines)) == 60


def test_a_reply_of_another_kind_is_quoted() -> None:
    other = checked(
        "text/html", (2.0, 2.0), status=503, body=HOSTILE.encode(), problem="the server answers 503"
    )
    lines = text(verification_lines(verification(envelope=other, stream=other), 116))
    assert lines[2] == "≠ envelope   503 text/html           the server answers 503"
    assert "[@click=app.quit]y[/]" in lines[3]
    assert not any(unsafe().search(line) for line in lines)


def test_no_reply_at_all() -> None:
    nothing = checked("", (0.0, 0.0), status=0, problem="the server closed the connection")
    lines = text(verification_lines(verification(envelope=nothing), 80))
    assert lines[2].startswith("≠ envelope   - ")


def test_what_is_copied() -> None:
    equal = verification(
        envelope=checked("application/json", (1.0, 1.0), body=b'{"a": 1}\n'),
        stream=checked("text/event-stream", (1.0, 1.0), body=b"data: [DONE]\n\n"),
    )
    assert verification_text(equal) == '{"a": 1}\n\ndata: [DONE]\n\n'
    stream = checked("x", (1.0, 1.0), body=b"\xff actual", difference=BodyDifference(0, "a", "b"))
    assert verification_text(verification(stream=stream)) == (
        "--- stream, expected\n\n\n--- stream, actual\n\\xff actual\n"
    )


def test_what_stands_there_meanwhile() -> None:
    claim = verification().claim
    assert text(verifying_lines(claim, 0, 7))[0].endswith(" against 127.0.0.1:7897   esc stops")
    assert "3 of 7 frames" in text(verifying_lines(claim, 3, 7))[0]
