"""HAR files and cassettes."""

from __future__ import annotations

import base64
import datetime
import gzip
import zlib
from typing import Any

import pytest
from hypothesis import given

from tests.strategies import json_values
from workbench.core.imports import captures as module
from workbench.core.imports.captures import Capture, CaptureError, UnreadableCapture, captures

HAR: dict[str, Any] = {
    "startedDateTime": "2026-11-20T10:09:22Z",
    "time": 12.5,
    "request": {"method": "POST", "url": "https://x/v1", "postData": {"text": '{"a": 1}'}},
    "response": {"status": 200, "content": {"mimeType": "application/json", "text": "{}"}},
}
INTERACTION: dict[str, Any] = {
    "request": {"method": "POST", "uri": "https://x/v1", "body": '{"a": 1}'},
    "response": {
        "status": {"code": 200, "message": "OK"},
        "headers": {"Content-Type": ["application/json"]},
        "body": {"string": "{}"},
    },
}


def one(value: Any) -> Capture | UnreadableCapture:
    (found,) = captures(value)
    return found


def test_an_entry_of_a_har_file() -> None:
    assert one({"log": {"entries": [HAR]}}) == Capture(
        "log.entries[0]",
        "POST",
        "https://x/v1",
        b'{"a": 1}',
        200,
        "application/json",
        b"{}",
        "2026-11-20T10:09:22Z",
        12.5,
    )
    packed = {"text": base64.b64encode(b"\xff{}").decode(), "encoding": "base64"}
    found = one({"log": {"entries": [HAR | {"response": {"status": 200, "content": packed}}]}})
    assert isinstance(found, Capture)
    assert found.body == b"\xff{}"


def test_headers_and_cookies_of_a_har_file() -> None:
    pairs = [{"name": "Authorization", "value": "Bearer x"}, {"name": "broken"}, "no pair"]
    request = HAR["request"] | {"headers": pairs, "cookies": [{"name": "id", "value": "y"}]}
    response = {"status": 429, "headers": [{"name": "Retry-After", "value": "7"}]}
    found = one({"log": {"entries": [{"request": request, "response": response}]}})
    assert isinstance(found, Capture)
    assert found.request_headers == (("Authorization", "Bearer x"), ("cookie", "id=y"))
    assert found.retry_after == "7"


@pytest.mark.parametrize("time", [float("nan"), float("inf"), 10**400, -1, "1", None])
def test_what_is_no_duration_is_none(time: object) -> None:
    found = one({"log": {"entries": [HAR | {"time": time, "startedDateTime": {}}]}})
    assert isinstance(found, Capture)
    assert (found.ms, found.started) == (0, "")


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        ("{}", None),
        ({"string": "{}"}, "identity"),
        ({"string": gzip.compress(b"{}")}, "gzip"),
        ({"string": zlib.compress(b"{}")}, "deflate"),
        ({"string": b"{}"}, "gzip"),
    ],
)
def test_an_interaction_of_a_cassette(body: Any, encoding: str | None) -> None:
    headers = {"content-type": "application/json"}
    if encoding:
        headers["Content-Encoding"] = encoding
    response = INTERACTION["response"] | {"body": body, "headers": headers}
    found = one({"interactions": [INTERACTION | {"response": response}], "version": 1})
    assert isinstance(found, Capture)
    assert (found.status, found.content_type, found.body) == (200, "application/json", b"{}")
    assert found.request_body == b'{"a": 1}'


def test_a_reply_of_httpx_in_an_old_cassette() -> None:
    response = {"status_code": 201, "http_version": "HTTP/1.1", "headers": {}, "content": "{}"}
    found = one({"interactions": [INTERACTION | {"response": response}]})
    assert isinstance(found, Capture)
    assert (found.status, found.body) == (201, b"{}")


def nested(levels: int) -> list[Any]:
    """A list that is small in memory and endless as text, as YAML aliases make them."""
    value: list[Any] = ["x"] * 9
    for _ in range(levels):
        value = [value] * 9
    return value


CIRCLE: dict[str, Any] = {}
CIRCLE["itself"] = CIRCLE


def test_headers_that_are_endless_as_text_are_skipped() -> None:
    headers = {"a": nested(20), "b": CIRCLE, "content-type": ["text/plain"]}
    found = one(broken(headers=headers, body=""))
    assert isinstance(found, Capture)
    assert found.content_type == "text/plain"


def broken(**response: Any) -> dict[str, Any]:
    changed = INTERACTION | {"response": INTERACTION["response"] | response}
    return {"interactions": [changed]}


BOMB = gzip.compress(bytes(65 * 1024 * 1024), compresslevel=1)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"log": {"entries": [1]}}, "it should be an object, not a number"),
        ({"log": {"entries": [{}]}}, "request is missing"),
        (
            {"log": {"entries": [HAR | {"request": {"method": 1}}]}},
            "request.method should be a string, not a number",
        ),
        (
            {"log": {"entries": [HAR | {"response": {"status": True}}]}},
            "response.status should be an integer, not true",
        ),
        (broken(body=[1]), "response.body is a list, not a string"),
        (broken(body="x", headers={"content-encoding": "br"}), "the body is encoded as 'br'; "),
        (broken(body="x", headers={"content-encoding": "gzip"}), "the body is not gzip: "),
        (
            broken(body=BOMB, headers={"content-encoding": "gzip"}),
            "the body is longer than 64 MiB",
        ),
        (broken(parsed_body=CIRCLE), "response.parsed_body is not JSON: Circular reference"),
        (broken(status={}), "response.status should be an integer, not null"),
    ],
)
def test_an_entry_that_cannot_be_read_is_named(value: Any, reason: str) -> None:
    found = one(value)
    assert isinstance(found, UnreadableCapture)
    assert found.place.endswith("[0]")
    assert found.reason.startswith(reason)


@pytest.mark.parametrize("value", [None, [], {}, {"log": {}}, {"log": []}, {"interactions": {}}])
def test_what_is_neither_is_refused(value: Any) -> None:
    with pytest.raises(CaptureError):
        list(captures(value))


@given(json_values, json_values)
def test_nothing_raises_anything_else(one: Any, other: Any) -> None:
    for value in (
        {"log": {"entries": [HAR | {"request": one, "response": other}, one]}},
        {"log": {"entries": [HAR | {"response": {"status": 200, "content": one}}]}},
        broken(body=one, headers=other),
        broken(status=one, headers={"content-encoding": other}),
    ):
        for found in captures(value):
            assert isinstance(found, Capture | UnreadableCapture)


def test_what_json_has_not_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """YAML has dates, and parts that stand for one another, so that a short file means much."""
    monkeypatch.setattr(module, "MAX_BODY", 1 << 20)
    for value, said in (
        ({"a": datetime.date(2026, 1, 1)}, "request.parsed_body is not JSON: Object of type date"),
        (expanding(8), "request.parsed_body is longer than 1 MiB"),
    ):
        request = {"method": "POST", "uri": "https://x/v1", "parsed_body": value}
        found = one({"interactions": [INTERACTION | {"request": request}]})
        assert isinstance(found, UnreadableCapture)
        assert found.reason.startswith(said)


def expanding(levels: int) -> list[Any]:
    value: list[Any] = ["x" * 10] * 10
    for _ in range(levels):
        value = [value] * 10
    return value


@pytest.mark.parametrize("content", ["abc", "xy", 1, ["00"]])
def test_what_is_no_binary_body_is_told(content: object) -> None:
    request = {"method": "POST", "uri": "u", "body": {"type": "binary", "content": content}}
    found = one({"interactions": [INTERACTION | {"request": request}]})
    assert isinstance(found, UnreadableCapture)
    assert found.reason.startswith("request.body.content is ")


def test_a_body_that_cassetter_calls_none_is_empty() -> None:
    response = {"status": 204, "headers": {}, "body": {"type": "none"}}
    found = one({"interactions": [INTERACTION | {"response": response}]})
    assert isinstance(found, Capture)
    assert (found.status, found.body) == (204, b"")


def test_a_body_that_is_not_base64_is_named() -> None:
    broken = {"text": "é!", "encoding": "base64"}
    found = one({"log": {"entries": [HAR | {"response": {"status": 200, "content": broken}}]}})
    assert isinstance(found, UnreadableCapture)
    assert found.reason.startswith("response.content.text is not base64: ")


# Playwright writes bodies into files of their own.
NAMED: dict[str, Any] = HAR | {
    "request": {
        "method": "post",
        "url": "https://x/v1/chat/completions",
        "postData": {"_file": "a.json"},
    },
    "response": {"status": 200, "content": {"mimeType": "text/plain", "_sha1": "b.bin"}},
}


def test_bodies_are_read_from_the_files_that_an_entry_names() -> None:
    (found,) = captures({"log": {"entries": [NAMED]}}, attached=lambda name: name.encode())
    assert isinstance(found, Capture)
    assert (found.request_body, found.body) == (b"a.json", b"b.bin")


def test_without_a_folder_the_file_is_named() -> None:
    found = one({"log": {"entries": [NAMED]}})
    assert isinstance(found, UnreadableCapture)
    assert (
        found.reason
        == "request.postData is in the file a.json; give the path of the HAR file instead of -"
    )


@pytest.mark.parametrize(("method", "path"), [("GET", "chat/completions"), ("POST", "events")])
def test_only_the_files_of_what_fixtures_answer_are_read(method: str, path: str) -> None:
    request = NAMED["request"] | {"method": method, "url": f"https://x/v1/{path}"}
    found = one({"log": {"entries": [NAMED | {"request": request}]}})
    assert isinstance(found, Capture)
    assert (found.is_chat, found.body) == (False, b"")


def test_a_har_file_without_content_says_so() -> None:
    content = {"size": 12, "mimeType": "application/json"}
    request = NAMED["request"] | {"postData": {"text": "{}"}}
    whole = NAMED | {"request": request, "response": {"status": 200, "content": content}}
    found = one({"log": {"entries": [whole]}})
    assert isinstance(found, UnreadableCapture)
    assert found.reason == "response.content has no text: save the HAR file with content"


def test_requests_and_responses_may_be_in_a_list_each() -> None:
    pair = {key + "s": [INTERACTION[key]] for key in ("request", "response")}
    found = one(pair)
    assert isinstance(found, Capture)
    assert (found.place, found.url, found.body) == ("requests[0]", "https://x/v1", b"{}")
    for responses, why in (([], "1 requests have 0 responses"), ({}, "are not two lists")):
        with pytest.raises(CaptureError, match=why):
            list(captures({**pair, "responses": responses}))


def test_another_encoding_is_named() -> None:
    content = {"text": "x", "encoding": "br"}
    found = one({"log": {"entries": [HAR | {"response": {"status": 200, "content": content}}]}})
    assert isinstance(found, UnreadableCapture)
    assert found.reason == "response.content.text is encoded as 'br'; only base64 is supported"


@pytest.mark.parametrize("body", ["[1]", "event: a\ndata: 1\n\n", ": x\n\n", "\ufeffdata: 1\n\n"])
def test_a_text_is_read_although_its_headers_say_that_it_is_packed(body: str) -> None:
    found = one(broken(body=body, headers={"content-encoding": "br"}))
    assert isinstance(found, Capture)
    assert found.body == body.encode()


def test_a_request_may_be_packed() -> None:
    request = INTERACTION["request"] | {
        "body": gzip.compress(b"{}"),
        "headers": {"Content-Encoding": "gzip"},
    }
    found = one({"interactions": [INTERACTION | {"request": request}]})
    assert isinstance(found, Capture)
    assert found.request_body == b"{}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("data: {}\n\ndata: {}", "data: {}\n\ndata: {}\n\n"),
        ("event: a\r\ndata: {}\r\n", "event: a\r\ndata: {}\r\n\n\n"),
        ("data: {}\n\ndata: {", "data: {}\n\ndata: {"),
        ("data: {}\n\n", "data: {}\n\n"),
        ("{}", "{}"),
    ],
)
def test_a_stream_gets_the_blank_line_that_its_file_has_lost(body: str, expected: str) -> None:
    found = one(broken(body=body))
    assert isinstance(found, Capture)
    assert found.body == expected.encode()
