"""What the real stub server sent and logged, sent and logged by ours over real HTTP."""

from __future__ import annotations

import re

import pytest

from tests import reference
from tests.core.apis.test_embedding_requests import cut
from tests.server.running import RunningServer

EXCHANGES = reference.exchanges()


def without_time(body: bytes) -> bytes:
    """``body`` with its time as the reference data has it."""
    return re.sub(rb'(?<!\\)"created": ?\d{10}', b'"created":0', body)


def miss_lines(log: str) -> list[str]:
    marks = ("[mock-llm] unknown fixture hash ", "[mock-llm] request: ")
    return [line for line in log.split("\n") if line.startswith(marks)]


def test_there_are_240() -> None:
    assert len(EXCHANGES) == 240


def test_every_exchange(server: RunningServer) -> None:
    for number, exchange in enumerate(EXCHANGES):
        path = server.fixtures / f"{exchange['digest']}.json"
        if exchange["fixture"] is not None:
            server.write_fixture(exchange["digest"], exchange["fixture"])
        before = server.log_size()
        reply = server.chat(exchange["payload"])
        path.unlink(missing_ok=True)
        body = without_time(reply.body).decode()
        assert (number, reply.status, body) == (number, exchange["status"], exchange["body"])
        assert reply.headers["content-type"] == exchange["content_type"]
        assert miss_lines(server.log(before)) == exchange["log"]


@pytest.mark.parametrize("route", ["/v1/embeddings", "/v1/v1/embeddings"])
def test_embeddings(server: RunningServer, route: str) -> None:
    for case in reference.embeddings():
        expected = case["response"]
        reply = server.post(route, {"input": case["input"], "model": expected["model"]})
        assert cut(reply.json()) == expected
        assert reply.headers["content-type"] == "application/json"
