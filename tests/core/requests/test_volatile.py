"""Volatile spans: found where they stand, left alone where they only look like it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.strategies import payloads
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.requests.differences import ReadRequest
from workbench.core.requests.view import Payload
from workbench.core.requests.volatile import KIND_NAMES, KINDS, VolatileKind, masked, spans

FOUND: list[tuple[VolatileKind, str]] = [
    ("date", "Today's date is <2026-11-19>. Summarise"),
    ("date", "Today is <2026-11-19 (Thursday)>."),
    ("date", "<Thursday, November 19, 2026>"),
    ("date", "<Thursday 19 November 2026>"),
    ("date", "It is <Thu Nov 19 17:02:33 2026> now"),
    ("date", "the <19th of November, 2026>"),
    ("date", "<Thursday, November 19>, at noon"),
    ("date", "by <November 19th>, "),
    ("date", "<Nov. 19, 2026>"),
    ("date", "a <19-Nov-2026> b"),
    ("date", "the month is <November 2026>."),
    ("date", "<11/19/2026>"),
    ("date", "<19.11.2026>."),
    ("date", "<2026/11/19>"),
    ("date", "backup_<20261119_170233>.tar"),
    ("date", "report_<2026-11-19>.txt"),
    ("date", "<11/19/26>,"),
    ("date", "<19-11-2026>"),
    ("date", "<2026.11.19>"),
    ("date", "log-<20261119>.txt"),
    ("date", "week <2026-W47>"),
    ("date", "<2026-W47-4>"),
    ("date", "Heute ist <Donnerstag, den 19. November 2026>."),
    ("date", "Nous sommes le <jeudi 19 novembre 2026>."),
    ("date", "<1er mars 2026>"),
    ("date", "Hoy es <jueves, 19 de noviembre de 2026>."),
    ("date", "<giovedì 19 novembre 2026>"),
    ("date", "<19 de março de 2026>"),
    ("date", "今日は<2026年11月19日(木)>です"),
    ("date", "今天是<2026年11月19日 星期四>。"),
    ("date", "오늘은 <2026년 11월 19일 목요일>"),
    ("date", "Today is <Thursday>."),
    ("date", "Day of the week: <Thursday>"),
    ("date", r"in JSON:\n<Thursday, November 19, 2026>\nmore"),
    ("time", "at <17:02:33>."),
    ("time", "at <17:02>, or so"),
    ("time", "at <3:05 PM>"),
    ("time", "at <9:05:11.250 p.m.>"),
    ("time", "at <17:02:33.123456+00:00>"),
    ("time", "at <17:02 UTC>"),
    ("uuid", "id <550e8400-e29b-41d4-a716-446655440000>."),
    ("uuid", "run-<550E8400-E29B-41D4-A716-446655440000>-0"),
    ("uuid", "thread_<7f9c2ba4e88f4d7a9b3dc9a1f0e2d4c6>"),
    ("id", "job <01HF8Z6Q4T7V9XW2Y3Z4A5B6C7>."),
    ("id", "<01hf8z6q4t7v9xw2y3z4a5b6c7>"),
    ("id", "req_<011CSHoEeqs5C35K2UUqR7Fy>"),
    ("id", '"id": "chatcmpl-<AbC123dEf456GhI789>"'),
    ("id", "X-Request-Id: <7b3f9c2a11de>"),
    ("id", r"{\"session_id\": \"<sess4f1>\"}"),
    ("id", "traceparent: <00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01>"),
    ("id", "pid <12345> ended"),
    ("id", "Agent object at <0x7f8b1c2d3e4f>"),
    ("id", 'ObjectId("<507f1f77bcf86cd799439011>")'),
    ("id", '{"_id": "<507f1f77bcf86cd799439011>"}'),
    ("commit", "at <9fceb02d0ae598e95dc970b74767f19372d61af8>."),
    ("commit", "HEAD is now at <9fceb02> Add"),
    ("commit", '"commit": "<9fceb02>"'),
    ("commit", "index <83db48f..bf269f4> 100644"),
    ("call-id", "result of <call_c62fad60>"),
    ("call-id", "result of <call_9pVtYqL3dK8mZx2wQbN7rTsA>,"),
    ("call-id", '"<toolu_01A09q90qw90lq917835lq9>"'),
    ("call-id", "<chatcmpl-tool-5b0a1f3c9d>"),
    ("call-id", "<pyd_ai_0123456789abcdef0123456789abcdef>"),
    ("temp-path", "saved to </tmp/tmpab12cd>/report.pdf"),
    ("temp-path", "see </tmp/report-8f3k2>.pdf"),
    ("temp-path", "</tmp/pytest-of-root/pytest-12>/test_x0/out.txt"),
    ("temp-path", "</tmp/pytest-of-root/pytest-12/popen-gw0>/test_x0/out.txt"),
    ("temp-path", "</private/var/folders/zz/zyx_n0000/T/tmpabc>/x"),
    ("temp-path", r"C:\Users\a\AppData\Local\Temp\<tmpab12cd>\x"),
    ("port", "http://localhost:<8123>/v1"),
    ("port", "the server at 127.0.0.1:<7899> is up"),
    ("port", "https://api.example.com:<8443>/"),
    ("port", "http://[::1]:<8000>/"),
    ("port", "at [::1]:<54321>"),
    ("port", "listening on port <54321>"),
    ("port", '{"port": <54321>}'),
    ("epoch", '"expires": <1763571753>'),
    ("epoch", "created_at: <1763571753>"),
    ("epoch", '{"timestamp": <1763571753123>}'),
    ("epoch", "now <1763571753.1234>"),
]

LEFT_ALONE = [
    "run 17, attempt 3 of 10, step 4, seed 1234567, user_42, order 20991",
    "port 5432 of the database, port 443",
    "request id unknown; session identity 12345",
    "commit 7 files; revision history; shade ab12cd34",
    "request_timeout_10s run_tests_in_parallel2 msg-0123456789",
    "19 maps of 2026, 2026 of 11",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "version 1.2.3 of 10.12.2026.5",
    "call_center and call_api_v2, call me",
    "the ratio is 3:16, or 16:99",
    "phone 1763571753",
    "192.168.1.10 and 2001:db8:10:20:30:40",
    "12 in May; sun 5 may; I may 5",
    "Mon 12 Marches",
    "Monday",
    "2026-13-45 and 12026-11-190 and 2026-11-19-05",
    "8f14e45fceea167a5a36dedd4bea2543",  # a hash, not of version 4
    "550e8400-e29b-41d4-a716-4466554400000",
    "see /tmp/ and ./tmp/x and home/tmp/x",
    "a:8080 and key: 8080",
    "sha 12:34:56:78:9a",
    "data:image/png;base64,AAAA/call/tmp/abc/2026/11/19/call",
]


@each_case("kind, marked", FOUND)
def test_a_volatile_span_is_found_where_it_stands(kind: VolatileKind, marked: str) -> None:
    text = marked.replace("<", "").replace(">", "")
    [span] = spans(text)
    start = marked.index("<")
    assert (span.kind, span.start, span.end) == (kind, start, marked.index(">") - 1)


def test_what_only_looks_volatile_is_left_alone() -> None:
    assert {text: found for text in LEFT_ALONE if (found := list(spans(text)))} == {}


def test_every_kind_is_found_and_has_a_name() -> None:
    assert {kind for kind, _ in FOUND} == set(KINDS) == set(KIND_NAMES)


def test_a_date_and_its_time_are_two_spans() -> None:
    text = "2026-11-19T17:02:33Z"
    assert [(s.kind, text[s.start : s.end]) for s in spans(text)] == [
        ("date", "2026-11-19"),
        ("time", "17:02:33Z"),
    ]
    assert masked(text) == "\0date\0T\0time\0"


def _request(system: str, user: str = "hello", **more: object) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return {"model": "gpt-4o-2024-08-06", "messages": messages, **more}


def masked_digest(payload: Payload) -> str:
    return ReadRequest(view(payload)).masked_digest


def test_requests_of_two_days_have_one_masked_digest_and_two_digests() -> None:
    one = _request("Today is Thursday, November 19, 2026.")
    other = _request("Today is Friday, November 20, 2026.", temperature=1)
    assert digest(one) != digest(other)
    assert masked_digest(one) == masked_digest(other)


@pytest.mark.parametrize(
    "other",
    [
        _request("Today is November 19, 2026", "goodbye"),
        _request("Today is November 19, 2026", tool_choice="required"),
        _request("Today is November 19, 2026") | {"model": "gpt-4o-2024-11-20"},
        _request("Today is date"),
        _request("Today is \0date\0"),
    ],
)
def test_what_is_not_volatile_counts(other: dict[str, Any]) -> None:
    assert masked_digest(_request("Today is November 19, 2026")) != masked_digest(other)


def test_the_ids_of_calls_are_volatile_whatever_they_look_like() -> None:
    def turn(call_id: str) -> dict[str, Any]:
        call = {"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        return {
            "messages": [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": call_id, "content": '{"id":"a"}'},
            ]
        }

    assert masked_digest(turn("D681PevKs")) == masked_digest(turn('"\\x"'))
    changed = turn("D681PevKs")
    changed["messages"][1]["content"] = '{"id":"b"}'
    assert masked_digest(turn("D681PevKs")) != masked_digest(changed)


@given(st.text())
def test_spans_are_in_order_and_within(text: str) -> None:
    at = 0
    for span in spans(text):
        assert at <= span.start < span.end <= len(text)
        at = span.end


@given(payloads)
def test_a_masked_digest_depends_on_what_the_digest_depends_on(payload: dict[str, Any]) -> None:
    assert masked_digest(payload) == masked_digest({**payload, "temperature": 0.5})


HOSTILE = ["a", "0", "1-", "2026-", "call_", "call_aaaaaaaa", "://", "://a-", "/tmp/", "/tmp/a",
           "/tmp/pytest-of-", "Mon ", "Mar 1", "abcd-", "deadbeef-", "\\", "\\Temp\\", "10:", "_at",
           "/var/folders/a/b/T/", "1 of ", "timestamp "]  # fmt: skip


@each_case("part", HOSTILE)
def test_any_text_is_read_in_linear_time(part: str) -> None:
    def seconds(size: int) -> float:
        text = part * (size // len(part))
        begun = time.process_time()
        list(spans(text))
        return time.process_time() - begun

    # Quadratic time would be a hundred times as long, and minutes.
    assert min(seconds(25_000) for _ in range(3)) < 40 * max(seconds(2_500), 0.002)
