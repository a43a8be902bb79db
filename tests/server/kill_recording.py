"""A recording server killed at random moments, and what of its journals is left."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import threading
import time
from pathlib import Path

from tests.server.running import RunningServer
from tests.server.upstream_model import Server, running_model
from workbench.core.recordings.exchanges import Exchange
from workbench.io.recordings.recording_file import Recording, journals


def kill_recordings(folder: Path, kills: int, *, seed: int) -> int:
    """Kill so many servers while clients are answered. Asserts that each journal holds every
    exchange a client heard whole, and nothing that is damaged; returns how many those were.
    """
    chance = random.Random(seed)
    (folder / "pyproject.toml").touch()
    heard = 0
    with running_model() as upstream:
        for _ in range(kills):
            heard += _killed_once(folder, upstream, chance.uniform(0.0, 0.4))
    return heard


def _killed_once(folder: Path, upstream: Server, seconds: float) -> int:
    known = set(journals(folder / ".workbench" / "runs"))
    heard: list[str] = []
    arguments = ("--record", "--upstream", upstream.url)
    with RunningServer(folder, arguments=arguments, working_folder=folder) as server:
        clients = [
            threading.Thread(target=_ask_on, args=(server.port, f"{os.urandom(4).hex()}", heard))
            for _ in range(4)
        ]
        for client in clients:
            client.start()
        while not heard:  # the first request has to come through a start that takes its time
            time.sleep(0.005)
        time.sleep(seconds)
        os.kill(server.process.pid, signal.SIGKILL)
        for client in clients:
            client.join()
    new = set(journals(folder / ".workbench" / "runs")) - known
    kept: list[Exchange] = []
    for path in new:
        run = Recording(path)
        kept += run.exchanges()
        assert run.problems == [run.torn] * bool(run.torn)
        assert run.end is None
    asked = [exchange.request["messages"][0]["content"] for exchange in kept]
    assert sorted(set(heard) - set(asked)) == []
    assert [exchange.position for exchange in kept] == list(range(1, len(kept) + 1))
    return len(heard)


def _ask_on(port: int, name: str, heard: list[str]) -> None:
    """Ask, streamed and not, until the server is gone; note what was answered whole."""
    for number in range(10_000):
        text = f"{name} {number}"
        payload = {"model": "m", "messages": [{"role": "user", "content": text}]}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            body = json.dumps({**payload, "stream": bool(number % 2)})
            connection.request(
                "POST", "/v1/chat/completions", body, {"Content-Type": "application/json"}
            )
            reply = connection.getresponse()
            if reply.status == 200 and reply.read():
                heard.append(text)
        except (OSError, http.client.HTTPException):
            return
        finally:
            connection.close()
