"""What the real stub server sent and logged, sent and logged by ours over real HTTP."""

from __future__ import annotations

import re
from typing import Any

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


@pytest.mark.parametrize("exchange", EXCHANGES, ids=[str(n) for n in range(len(EXCHANGES))])
def test_exchange(server: RunningServer, exchange: dict[str, Any]) -> None:
    path = server.fixtures / f"{exchange['digest']}.json"
    if exchange["fixture"] is not None:
        server.write_fixture(exchange["digest"], exchange["fixture"])
    before = server.log_size()
    try:
        reply = server.chat(exchange["payload"])
    finally:
        path.unlink(missing_ok=True)
    assert reply.status == exchange["status"]
    assert reply.headers["content-type"] == exchange["content_type"]
    assert without_time(reply.body).decode() == exchange["body"]
    assert miss_lines(server.log(before)) == exchange["log"]


@pytest.mark.parametrize("route", ["/v1/embeddings", "/v1/v1/embeddings"])
@pytest.mark.parametrize("case", reference.embeddings(), ids=lambda case: str(case["input"])[:20])
def test_embeddings(server: RunningServer, route: str, case: dict[str, Any]) -> None:
    expected = case["response"]
    reply = server.post(route, {"input": case["input"], "model": expected["model"]})
    assert cut(reply.json()) == expected
    assert reply.headers["content-type"] == "application/json"
