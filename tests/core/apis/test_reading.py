"""What a body is, and what a stream has that is no event."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from workbench.core.apis.reading import ReplyObject, read_stream
from workbench.core.apis.sse import is_stream
from workbench.core.replies.response import NotAReplyError

SSE, JSON = "text/event-stream; charset=utf-8", "application/json"


@each_case(
    "content_type, body, expected",
    [
        (SSE, b"", True),
        ("Text/Event-Stream", b"", True),
        (JSON, b"", False),
        ("", b"data: {}\n\n", True),
        (JSON, b"data:{}\n\n", True),
        (JSON, b"\xef\xbb\xbfevent: x\r\n", True),
        ("text/plain", b": waiting\n\ndata: {}\n\n", True),
        (JSON, b"\r\n\r\ndata: {}\n\n", True),
        ("", b"data\n\n", True),
        ("", b"database", False),
        (SSE, b'{"error": {}}', False),
        (SSE, b"  [\n", False),
    ],
)
def test_how_a_body_begins_counts_for_more_than_its_type(
    content_type: str, body: bytes, expected: bool
) -> None:
    assert is_stream(content_type, body) is expected


def test_the_events_of_a_stream() -> None:
    stream = read_stream(b'event: a\ndata: {"type": "b"}\n\ndata:\n\nevent: c\ndata: {}\n\n')
    assert [(event.where, event.kind) for event in stream.events] == [
        ("frame 0", "b"),
        ("frame 2", "c"),
    ]
    assert not stream.is_done


@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b"data:[DONE]\n", b"data: [DONE]"])
def test_a_stream_is_done_even_if_its_last_blank_line_was_lost(end: bytes) -> None:
    stream = read_stream(b"data: {}\n\n" + end)
    assert (len(stream.events), stream.is_done) == (1, True)


def test_nothing_counts_after_the_end() -> None:
    assert len(read_stream(b"data: {}\n\ndata: [DONE]\n\ndata: what follows\n\n").events) == 1


@each_case(
    "body, why",
    [
        (b"data: {}\n\ndata: {\n\n", "frame 1 is not JSON"),
        (b"data: {}\n\n{}\n\n", "a line of the stream is not part of an event: {}"),
        (b"data: {}\n\ndata: {}\n", "the stream broke off in its last event"),
        (b"data: {}\n\ndat", "the stream broke off in its last event"),
        (b'data: "\xff"\n\n', "byte 7 of the stream cannot be read"),
        (b"event: error\ndata: Overloaded\n\n", "frame 0 is an error: Overloaded"),
        (b'event: error\ndata: {"message": "No."}\n\n', "frame 0 is an error: No."),
        (b'data: {"object": "error", "message": "No."}\n\n', "frame 0 is an error: No."),
        (b'data: {"type": "error", "message": "No."}\n\n', "frame 0 is an error: No."),
    ],
)
def test_what_is_lost_by_readers_of_events_is_refused(body: bytes, why: str) -> None:
    with pytest.raises(NotAReplyError) as raised:
        read_stream(body)
    assert str(raised.value).startswith(why)


# What a reader does not take out of an object is named


def test_what_is_left_is_named_with_its_prefix_after_that_of_the_object_around() -> None:
    given = ReplyObject(
        {"a": 1, "inner": {"b": 1, "c": 2}, "list": [{"d": 1}, "text"], "none": None}
    )
    inner = given.mapping("inner", "inner.")
    (item,) = given.objects("list", "list.")
    assert list(given.left()) == ["a", "list", "inner.b", "inner.c", "list.d"]
    assert (inner.count("b"), item.take("d"), given.take("a")) == (1, 1, 1)
    assert list(given.left()) == ["list", "inner.c"]


def test_a_value_of_another_type_is_left() -> None:
    given = ReplyObject({"text": 1, "count": "1", "mapping": [], "objects": {"a": 1}, "flag": True})
    assert given.text("text") == ""
    assert given.count("count") is None
    assert given.count("flag") is None
    assert given.objects("objects") == []
    assert list(given.mapping("mapping").left()) == []
    assert list(given.left()) == ["text", "count", "objects", "flag"]


def test_what_is_skipped_or_taken_as_a_whole_is_not_named() -> None:
    given = ReplyObject({"id": 1, "rest": 2})
    given.skip(["id", "other"])
    assert given.take_all() == {"rest": 2}
    given.leave("further choices")
    assert list(given.left()) == ["further choices"]
