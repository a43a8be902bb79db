"""Many clients at once: each gets its own reply, whole, whoever writes fixtures meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from tests import reference
from tests.server.load import ask_all, repeated, request_of
from tests.server.running import RunningServer
from tests.server.saving import saves_during_requests
from tests.server.test_reference import without_time

CLIENTS = 64


def test_many_clients_get_what_the_reference_sends(tmp_path: Path) -> None:
    exchanges = {exchange["digest"]: exchange for exchange in reference.exchanges()}
    requests = [(digest, request_of(e["payload"])) for digest, e in exchanges.items()]
    seen: Counter[str] = Counter()

    def check(digest: str, status: int, body: bytes) -> None:
        expected = exchanges[digest]
        assert (status, without_time(body).decode()) == (expected["status"], expected["body"])
        seen[digest] += 1

    with RunningServer(tmp_path) as server:
        for digest, exchange in exchanges.items():
            if exchange["fixture"] is not None:
                server.write_fixture(digest, exchange["fixture"])
        asked = repeated(requests, 8 * len(requests))
        asyncio.run(ask_all(server.port, asked, connections=CLIENTS, check=check))
    assert set(seen.values()) == {8}
    assert len(seen) > 150


@pytest.mark.parametrize("in_place", [False, True])
def test_a_reply_is_the_old_or_the_new_one(tmp_path: Path, in_place: bool) -> None:
    with RunningServer(tmp_path) as server:
        saves, replies = saves_during_requests(server, 160, in_place=in_place)
    assert saves >= 160
    assert len(replies) > 1
