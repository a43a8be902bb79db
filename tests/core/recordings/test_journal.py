"""The lines of a run's journal."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.strategies import json_values
from workbench.core.formats import FormatError
from workbench.core.recordings import journal as lines
from workbench.core.recordings.exchanges import (
    CheckpointMark,
    End,
    Exchange,
    Header,
    NewerFormatError,
    Outcome,
    Parent,
    Parsed,
    Raised,
    Record,
    Returned,
    Sent,
    unsendable,
)

HEADER = Header("r1", "weather-agent", "2026-11-20T10:09:22+01:00")
EXCHANGE = Exchange(1, "ask", 1, {"messages": []}, Sent(200, "application/json", b"{}"), "0" * 64)

OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(
    st.builds(
        Sent,
        status=st.integers(0, 599),
        content_type=st.text(max_size=20) | st.just("application/json"),
        body=st.binary(max_size=60) | st.text(max_size=40).map(lambda text: text.encode()),
        frames=st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 10**6)), max_size=4).map(tuple),
        is_complete=st.booleans(),
    ).filter(lambda sent: not unsendable(sent)),
    st.builds(Returned, json_values),
    st.builds(Raised, st.text(), st.text()),
)
RECORDS: st.SearchStrategy[Record] = st.one_of(
    st.builds(
        Header,
        st.text(),
        st.text(),
        st.text(),
        st.none() | st.builds(Parent, st.text(), st.integers(1, 99)),
        st.dictionaries(st.text().map("x-".__add__), json_values, max_size=2),
    ),
    st.builds(
        Exchange,
        position=st.integers(1, 10**6),
        node=st.text(),
        call=st.integers(1, 99),
        request=json_values,
        outcome=OUTCOMES,
        digest=st.none(),
        source=st.sampled_from(["call", "replaced"]),
        at_ms=st.floats(0, 1e9),
        ms=st.floats(0, 1e9),
        test=st.text(),
        extra=st.dictionaries(st.text().map("x-".__add__), json_values, max_size=2),
    ),
    st.builds(
        CheckpointMark, st.text(), st.integers(0, 99), st.integers(), st.integers(0), st.booleans()
    ),
    st.builds(Parsed, st.integers(1, 99), json_values),
    st.builds(End, st.text()),
)


@given(RECORDS)
def test_a_record_survives_its_line(record: Record) -> None:
    line = lines.line(record)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert lines.parse(line) == record


def test_an_exchange_of_a_language_model_keeps_digest_and_shape() -> None:
    exchange = replace(EXCHANGE, stream=True, source="fixture")
    line = lines.line(exchange)
    assert line.startswith(lines.EXCHANGE)
    assert lines.parsed_position(line) is None
    assert lines.parsed_position(lines.line(Parsed(12, {"a": 1}))) == 12
    assert lines.parse(line) == exchange
    assert not lines.line(HEADER).startswith(lines.EXCHANGE)


def test_what_a_line_may_leave_out() -> None:
    checkpoint = b'{"type": "checkpoint", "checkpoint": "c", "after": 1, "iteration": 2}'
    assert lines.parse(checkpoint) == CheckpointMark("c", 1, 2, 0, is_complete=False)
    reply = b'{"status": 200, "body": ""}'
    exchange = b'{"type": "exchange", "position": 1, "node": "ask", "call": 1, "reply": %s}' % reply
    assert lines.parse(exchange) == Exchange(
        1, "ask", 1, None, Sent(200, "", b"", (), is_complete=True), None, "call", False, 0.0, 0.0
    )


def test_a_later_format_is_refused_by_name() -> None:
    value = json.loads(lines.line(HEADER)) | {"format": 3}
    with pytest.raises(NewerFormatError, match=r"^written in format 3; "):
        lines.parse(json.dumps(value).encode())


def test_a_type_of_a_later_version_is_passed_over() -> None:
    assert lines.parse(b'{"type":"applause","loud":true}') is None


@each_case(
    "line, reason",
    [
        (b'{"type":"exchange","position":1', "not JSON: "),
        (b"\xff", "byte 0 is not UTF-8"),
        (b"[]", "the line is a list, not an object"),
        (b'{"type":"exchange"}', "reply should be an object, not null"),
        (b'{"type":"exchange","reply":{}}', "position is missing"),
        (
            b'{"type":"exchange","reply":{},"position":[]}',
            "position should be an integer, not a list",
        ),
        (
            b'{"type":"exchange","position":1,"node":"a","call":1,"source":"call","reply":{"status":1}}',
            "reply.body should be a string, not null",
        ),
        (
            b'{"type":"exchange","position":1,"node":"a","call":1,"source":"call",'
            b'"reply":{"status":1,"body":"","frames":[1]}}',
            r"reply.frames\[0\] should be a list, not a number",
        ),
        (
            b'{"type":"exchange","position":1,"node":"a","call":1,"source":"call",'
            b'"reply":{"status":1,"body":"a\\ud800"}}',
            "reply.body, character 1 stands for no byte",
        ),
        (
            b'{"type":"exchange","position":1,"node":"a","call":1,"source":"a","reply":{},'
            b'"at_ms":1%s}' % (b"0" * 400),
            "at_ms is too large",
        ),
        (
            b'{"type":"exchange","reply":{"raised":{"kind":"E","message":""}}}',
            "reply.raised.type should be a string, not null",
        ),
        (
            b'{"type":"exchange","reply":{"status":1,"body":"","complete":[]}}',
            "reply.complete should be true or false, not a list",
        ),
        (
            b'{"type":"checkpoint","complete":[]}',
            "complete should be true or false, not a list",
        ),
        (b'{"type":"run","format":0}', "written in format 0"),
        (b'{"type":"run"}', "format should be an integer, not null"),
        (
            b'{"type":"run","format":1,"id":"a","name":"a","started":"","parent":{"run":"b"}}',
            "parent.at is missing",
        ),
        (
            b'{"type":"run","format":1,"id":"a","name":"a","started":"","parent":{"run":"b","at":0}}',
            "parent.at is 0, not the number of an exchange",
        ),
        (b"[" * 100_000, "not JSON: "),
    ],
)
def test_what_cannot_be_read_is_named(line: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=f"^{reason}"):
        lines.parse(line)


@each_case(
    "sent, reason",
    [
        (Sent(0, "", b""), "status is 0, not one of 200 to 599"),
        (Sent(-5, "", b""), "status is -5, not"),
        (Sent(99, "", b""), "status is 99, not"),
        (Sent(100, "", b""), "status is 100, not"),
        (Sent(100, "", b"", is_complete=False), "status is 100, not"),
        (Sent(1000, "", b""), "status is 1000, not"),
        (Sent(10**30, "", b""), f"status is {10**30}, not"),
        (Sent(204, "", b"x"), "body is not empty; a reply with status 204 has none"),
        (Sent(304, "", b"x", is_complete=False), "body is not empty; a reply with status 304"),
        (
            Sent(200, "text/plain\r\nx: y", b""),
            r"content_type has U\+000D, which no header can have",
        ),
        (Sent(200, "日", b""), r"content_type has U\+65E5"),
        (Sent(200, "\x7f", b""), r"content_type has U\+007F"),
        (Sent(200, "x" * 10_000, b""), "content_type is longer than 8,000 characters"),
    ],
)
def test_a_reply_that_no_server_can_send_is_neither_written_nor_read(
    sent: Sent, reason: str
) -> None:
    with pytest.raises(FormatError, match=rf"^reply\.{reason}"):
        lines.line(replace(EXCHANGE, outcome=sent))
    reply = {"status": sent.status, "content_type": sent.content_type, "body": sent.body.decode()}
    value = json.loads(lines.line(EXCHANGE))
    value["reply"] = {**reply, "complete": sent.is_complete}
    with pytest.raises(FormatError, match=rf"^reply\.{reason}"):
        lines.from_json(value)


@each_case(
    "sent",
    [
        Sent(0, "", b"", is_complete=False),
        Sent(204, "", b""),
        Sent(304, "", b""),
        Sent(599, "text/plain; name=é", b""),
    ],
)
def test_a_connection_that_was_closed_and_replies_without_a_body_are_kept(sent: Sent) -> None:
    exchange = replace(EXCHANGE, outcome=sent)
    assert lines.parse(lines.line(exchange)) == exchange


@given(st.binary(max_size=200) | RECORDS.map(lines.line).map(lambda line: line[: len(line) // 2]))
def test_no_line_raises_anything_else(line: bytes) -> None:
    with suppress(FormatError):
        lines.parse(line)


def test_what_json_cannot_hold_is_refused() -> None:
    with pytest.raises(FormatError, match="not a JSON value"):
        lines.line(Parsed(1, float("nan")))
    with pytest.raises(FormatError, match="not a JSON value"):
        lines.line(Parsed(1, object()))
