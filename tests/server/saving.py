"""Fixtures that are written while they are asked for."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter

from tests.server.load import ask_all, repeated, request_of
from tests.server.running import RunningServer
from workbench.core.digest import digest
from workbench.core.replies.response import FALLBACK_TEXT

PAYLOADS = [{"model": "m", "messages": [{"role": "user", "content": f"{n}"}]} for n in range(8)]


def saves_during_requests(
    server: RunningServer, count: int, *, in_place: bool = False
) -> tuple[int, Counter[str]]:
    """Save ``count`` versions of fixtures and ask for them ``count`` times or more meanwhile.

    Each reply has to be that of one version, whole; in the end it is that of the last.

    Args:
        in_place: files are overwritten, as some editors do, so that half a file may be read; such
            a one is a miss.

    Returns:
        how many saves there were, and how often each content came.
    """
    saved = dict.fromkeys(range(len(PAYLOADS)), 0)
    begun = dict(saved)
    done = threading.Event()
    for number, payload in enumerate(PAYLOADS):
        server.write_fixture(digest(payload), fixture_of(number, 0))

    def save() -> None:
        for version in range(1, count // len(PAYLOADS) + 1):
            for number, payload in enumerate(PAYLOADS):
                begun[number] = version
                value = fixture_of(number, version)
                if in_place:
                    path = server.fixtures / f"{digest(payload)}.json"
                    path.write_bytes(json.dumps(value).encode())
                else:
                    server.write_fixture(digest(payload), value)
                saved[number] = version
        done.set()

    contents: Counter[str] = Counter()

    def check(number: int, status: int, body: bytes) -> None:
        content = json.loads(body)["choices"][0]["message"]["content"]
        contents[content[:40]] += 1
        assert status == 200
        if in_place and content == FALLBACK_TEXT:
            return
        name, version, filling = content.split("-")
        assert name == str(number)
        assert filling == "x" * (int(version) * 37 % 5000)
        assert int(version) <= begun[number]

    requests = [(number, request_of(payload)) for number, payload in enumerate(PAYLOADS)]
    saver = threading.Thread(target=save)
    saver.start()
    try:
        while not done.is_set():
            asked = repeated(requests, max(count // 10, len(requests)))
            asyncio.run(ask_all(server.port, asked, connections=8, check=check))
    finally:
        saver.join()
    for number, payload in enumerate(PAYLOADS):  # the last save answers from now on
        assert (
            server.chat(payload).content == fixture_of(number, saved[number])["response"]["content"]
        )
    return sum(saved.values()), contents


def fixture_of(number: int, version: int) -> dict[str, dict[str, str]]:
    """One of a length of its own."""
    return {"response": {"content": f"{number}-{version}-{'x' * (version * 37 % 5000)}"}}
