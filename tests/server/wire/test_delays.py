"""Delays: who asks for which, and what they do to replies over real HTTP."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.server.running import RunningServer, wait_until
from workbench.core.digest import digest
from workbench.core.replies.fixture_form import MAX_DELAY_MS
from workbench.server.wire.delays import Delays, milliseconds

STREAM = {"model": "gpt-4o", "stream": True}
PACED_FRAMES = 5  # of the fallback


@each_case(
    "text, expected",
    [
        *(("", 0), ("0", 0), ("250", 250), (" 250 ", 250), ("-5", 0), ("1.5", 0), ("soon", 0)),
        *(("600000", 600_000), ("600001", MAX_DELAY_MS), ("9" * 5000, 0), ("1e3", 0)),
    ],
)
def test_a_delay_is_a_number_of_milliseconds(text: str, expected: int) -> None:
    assert milliseconds(text) == expected


@given(st.text())
def test_any_text_is_a_delay_in_bounds(text: str) -> None:
    assert 0 <= milliseconds(text) <= MAX_DELAY_MS


def test_the_environment_asks() -> None:
    environment = {
        "MOCK_LLM_FORCE_TOTAL_DELAY_MS": "7",
        "MOCK_LLM_FORCE_STREAM_CHUNK_DELAY_MS": "8",
    }
    assert Delays.from_environment(environment) == Delays(7, 8)
    assert Delays.from_environment({}) == Delays(0, 0)
    assert Delays.from_environment({"MOCK_LLM_FORCE_TOTAL_DELAY_MS": "x"}) == Delays()


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, Delays(7, 8)),
        ({"x-mock-llm-total-delay-ms": "1"}, Delays(1, 8)),
        ({"x-mock-llm-stream-chunk-delay-ms": "2"}, Delays(7, 2)),
        ({"x-mock-llm-total-delay-ms": "0"}, Delays(7, 8)),
        ({"x-mock-llm-total-delay-ms": "\xff"}, Delays(7, 8)),
    ],
)
def test_headers_win_unless_they_are_zero(headers: dict[str, str], expected: Delays) -> None:
    assert Delays(7, 8).of(headers) == expected


def seconds_of(server: RunningServer, payload: object, **headers: int) -> float:
    start = time.monotonic()
    named = {f"X-Mock-LLM-{k.replace('_', '-')}-Delay-Ms": str(v) for k, v in headers.items()}
    assert server.chat(payload, named).status == 200
    return time.monotonic() - start


@pytest.mark.parametrize("payload", [{}, STREAM])
def test_a_total_delay_comes_first(server: RunningServer, payload: object) -> None:
    assert seconds_of(server, payload, Total=150) >= 0.15


def test_a_chunk_delay_comes_before_each_piece(server: RunningServer) -> None:
    assert seconds_of(server, STREAM, Stream_Chunk=30) >= PACED_FRAMES * 0.03
    seconds_of(server, {}, Stream_Chunk=600_000)  # for which nobody would wait


def test_a_slow_stream_is_the_same_bytes(server: RunningServer) -> None:
    headers = {"X-Mock-LLM-Stream-Chunk-Delay-Ms": "1"}
    slow = server.chat({**STREAM, "messages": []}, headers).body.split(b"\n\n")
    fast = server.chat({**STREAM, "messages": []}).body.split(b"\n\n")
    assert [f.partition(b"choices")[2] for f in slow] == [f.partition(b"choices")[2] for f in fast]


def test_pieces_of_a_slow_stream_arrive_one_by_one(server: RunningServer) -> None:
    """And streams do not wait for each other: these would take minutes."""
    headers = {"X-Mock-LLM-Stream-Chunk-Delay-Ms": "600000"}
    connections = [server.connect() for _ in range(8)]
    for connection in connections:
        connection.request("POST", "/v1/chat/completions", b'{"stream": true}', headers)
    for connection in connections:
        assert b'"role": "assistant"' in connection.getresponse().readline()
        connection.close()


def test_a_miss_is_logged_when_it_is_asked(server: RunningServer) -> None:
    unknown = f"unknown fixture hash {digest({'model': 'slow'})}"
    before = server.log_size()
    connection = server.connect()
    headers = {"X-Mock-LLM-Total-Delay-Ms": "600000"}
    connection.request("POST", "/v1/chat/completions", b'{"model": "slow"}', headers)
    wait_until("a miss", lambda: unknown in server.log(before))
    assert "POST" not in server.log(before)
    connection.close()


def test_a_client_that_hangs_up_is_let_go_quietly(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as server:
        for header in (b"Total-Delay-Ms", b"Stream-Chunk-Delay-Ms"):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                client.sendall(
                    b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
                    b"X-Mock-LLM-" + header + b": 50\r\nContent-Length: 16\r\n\r\n"
                    b'{"stream": true}'
                )
                wait_until("the miss", lambda: "unknown" in server.log())
        assert server.request("GET", "/healthz").status == 200
    assert "Traceback" not in server.log()
    assert "Error" not in server.log()


def test_the_environment_delays_a_server(tmp_path: Path) -> None:
    environment = {
        "MOCK_LLM_FORCE_TOTAL_DELAY_MS": "100",
        "MOCK_LLM_FORCE_STREAM_CHUNK_DELAY_MS": "40",
    }
    with RunningServer(tmp_path, environment=environment) as server:
        assert seconds_of(server, {}) >= 0.1
        assert seconds_of(server, STREAM) >= 0.1 + PACED_FRAMES * 0.04
