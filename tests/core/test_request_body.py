"""Bodies of requests: which are read, and what is said of others."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from workbench.core.request_body import RequestError, parse_request


@each_case(
    "body, code, words",
    [
        (b"", "invalid_json", "empty"),
        (b" \r\n", "invalid_json", "empty"),
        (b'{"a":', "invalid_json", "line 1, column 6"),
        (b'{\n "a": 1\n "b": 2}', "invalid_json", "line 3, column 2"),
        (b'{"a": "\xff"}', "not_utf8", "byte 7"),
        (b'{"a": "\xed\xa0\x80"}', "not_utf8", "byte 7"),  # a surrogate, in three bytes
        ('{"a": 1}'.encode("utf-16"), "not_utf8", "byte 0"),
        ('{"a": 1}'.encode("utf-16-le"), "invalid_json", "line 1, column 2"),
        (b"[]", "not_an_object", "a list"),
        (b"null", "not_an_object", "null"),
        (b'"x"', "not_an_object", "a string"),
        (b"true", "not_an_object", "true"),
        (b"1", "not_an_object", "a number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "integer_too_long", "too long"),
        (b'{"a": ' + b"[" * 100_000, "too_deep", "deep"),
    ],
)
def test_what_is_no_request_is_refused(body: bytes, code: str, words: str) -> None:
    with pytest.raises(RequestError, match=words) as caught:
        parse_request(body)
    assert caught.value.code == code


def test_a_request_is_read_from_bytes_and_text() -> None:
    text = '{"model": "é"}'
    assert parse_request(text) == parse_request(text.encode())
    assert parse_request(text.encode("utf-8-sig")) == {"model": "é"}
