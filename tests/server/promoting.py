"""Runs an agent until it has all its answers: each miss is promoted, as a model would answer it.

The agents are those of real client libraries. Their tool is called twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from tests.server.running import RunningServer
from workbench.cli.main import main
from workbench.core.apis.table import view

QUESTION = "What is the weather in Rome and in Oslo?"
ANSWER = "21 C in both."
# The answers that `promote` is given: what a model would say, by how many results it was told.
Said = Sequence[tuple[str, ...]]
WEATHER: Said = (
    ("--tool-call", "get_weather", '{"city":"Rome"}'),
    ("--tool-call", "get_weather", '{"city":"Oslo"}'),
    ("--content", ANSWER),
)
# More than any agent needs whose requests are the same in each run.
MOST_RUNS = 10
_REQUEST = "[mock-llm] request: "


def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: Name of the city
    """
    return f"21 C in {city}"


def dumps_of(log: str) -> list[str]:
    """The requests without a fixture in a server's log, each as JSON."""
    return [line[len(_REQUEST) :] for line in log.split("\n") if line.startswith(_REQUEST)]


def promoted(
    server: RunningServer, run: Callable[[], str], said: Said = WEATHER
) -> tuple[str, list[int]]:
    """What comes of ``run`` when each miss of it was promoted, and how many misses each run had."""
    misses: list[int] = []
    while len(misses) < MOST_RUNS:
        before = server.log_size()
        outcome = run()
        dumps = dumps_of(server.log(before))
        misses.append(len(dumps))
        if not dumps:
            return outcome, misses
        for dump in dumps:
            asked = view(json.loads(dump))
            told = sum(message.role == "tool" for message in asked.messages)
            fixture = ("--fixtures", str(server.fixtures), *said[told])
            assert main(["promote", str(server.log_path), asked.digest, *fixture]) == 0
    raise AssertionError(f"each run had misses: {misses}")
