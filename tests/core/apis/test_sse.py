"""Events are told apart as the WHATWG's standard says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from workbench.core.apis import sse


@each_case(
    "stream, found",
    [
        (b"", []),
        (b"data: 1\n\ndata:2\n\n", [("", "1"), ("", "2")]),
        (b"data: a\r\ndata:  b\r\n\r\n", [("", "a\n b")]),
        (b"event: x\rdata\r\rdata: y\r\r", [("x", ""), ("", "y")]),
        (b": waiting\n\ndata: 1\n\n\n\n: x\ndata: 2\n\n", [("", "1"), ("", "2")]),
        (b"id: 1\nretry: 2\n\nevent: nothing\n\ndata: 1\n\n", [("", "1")]),
        (b"\xef\xbb\xbfdata: \xff\n\n", [("", "\ufffd")]),
        (b"data: a\xe2\x80\xa8b\n\n", [("", "a\u2028b")]),
        (b"data: whole\n\ndata: cut\n", [("", "whole")]),
        (b"data: whole\n\ndata: cut", [("", "whole")]),
    ],
)
def test_events(stream: bytes, found: list[tuple[str, str]]) -> None:
    assert list(sse.events(stream)) == found


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))))
def test_what_is_written_is_read(data: list[str]) -> None:
    stream = "".join(f"data: {one}\n\n" for one in data).encode()
    assert [event.data for event in sse.events(stream)] == data
