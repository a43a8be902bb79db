"""A long life of the server: many requests of every kind and API, clients that vanish, saves
meanwhile; its memory stays what it is.

``SOAK_REQUESTS`` sets how many requests.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests import reference
from tests.server.load import ask_all, repeated, request_of
from tests.server.running import RunningServer, wait_until
from tests.server.saving import saves_during_requests
from tests.server.test_reference import without_time

REQUESTS = int(os.environ.get("SOAK_REQUESTS", "200000"))
# One character, which no stream cuts.
SAID = b"~"
SAVES = 10_000
ROUNDS = 10


def memory_of(server: RunningServer) -> float:
    """In MB."""
    return float(psutil.Process(server.process.pid).memory_info().rss / 1e6)


def vanish(port: int, request: bytes) -> None:
    """Ask, and reset the connection before there can be a reply."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(request)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.timeout(0)  # as long as so many take
def test_memory_stays(tmp_path: Path) -> None:
    exchanges = {exchange["digest"]: exchange for exchange in reference.exchanges()}
    requests: list[tuple[Any, bytes]] = [
        (digest, request_of(e["payload"])) for digest, e in exchanges.items()
    ]
    others = reference.api_requests()
    requests += [("said", request_of(other["body"], other["path"])) for other in others]
    requests += [
        (200, request_of({"input": "a", "model": "m"}, "/v1/embeddings")),
        (400, request_of([], "/v1/chat/completions")),
        (400, request_of({}, "/v1/nowhere")),
        (400, request_of({"messages": "x" * 100_000, "model": "\ud800"})),
    ]
    seen: Counter[str] = Counter()

    def check(key: str | int, status: int, body: bytes) -> None:
        if isinstance(key, int):
            assert status == key, body
            seen[str(status)] += 1
        elif key == "said":
            assert (status, SAID in body) == (200, True), body
            seen["other API"] += 1
        else:
            expected = exchanges[key]
            assert (status, without_time(body).decode()) == (expected["status"], expected["body"])
            seen["fixture" if expected["fixture"] else "other"] += 1

    with RunningServer(tmp_path) as server:
        for digest, exchange in exchanges.items():
            if exchange["fixture"] is not None:
                server.write_fixture(digest, exchange["fixture"])
        for other in others:
            server.write_fixture(other["digest"], {"response": {"content": SAID.decode()}})
        memory: list[float] = []
        for _ in range(ROUNDS + 1):  # the first fills what is kept of a bounded number of requests
            asked = repeated(requests, REQUESTS // ROUNDS)
            asyncio.run(ask_all(server.port, asked, connections=32, check=check))
            for _, request in requests[:50]:
                vanish(server.port, request)
            memory.append(memory_of(server))
            server.log_path.write_bytes(b"")  # it may be truncated meanwhile
        print(json.dumps({"memory_mb": memory, "replies": seen}))
        assert "Traceback" not in server.log()
        assert server.request("GET", "/healthz").status == 200
    assert sum(seen.values()) >= REQUESTS
    assert memory[-1] / memory[0] <= 1.05


@pytest.mark.timeout(0)  # as long as so many take
def test_a_reply_is_the_old_or_the_new_one(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as server:
        saves, contents = saves_during_requests(server, SAVES)
    print(json.dumps({"saves": saves, "replies": sum(contents.values()), "kinds": len(contents)}))
    assert saves >= SAVES
    assert sum(contents.values()) >= SAVES


@pytest.mark.timeout(600)
def test_held_clients_come_and_go(tmp_path: Path) -> None:
    """Hundreds wait and hang up, over and over: nothing of them is left."""
    with RunningServer(tmp_path, arguments=("--hold",)) as server:
        memory = []
        for turn in range(10):
            clients = []
            for number in range(300):
                client = socket.create_connection(("127.0.0.1", server.port))
                client.sendall(request_of({"model": f"held {number % 100}", "turn": turn}))
                clients.append(client)
            wait_until("all held", lambda: waiting(server) == 300)
            for client in clients:
                client.close()
            wait_until("all gone", lambda: waiting(server) == 0)
            memory.append(memory_of(server))
        print(json.dumps({"memory_mb": memory}))
        assert "Traceback" not in server.log()
    # The first turns fill what is kept of the last exchanges.
    assert memory[-1] / memory[5] <= 1.05


def waiting(server: RunningServer) -> int:
    held = server.request("GET", "/__workbench/held").json()
    return sum(entry["clients"] for entry in held)
