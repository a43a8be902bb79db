"""Playing the sample agents against a server, and the fixtures some of their requests have."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from workbench.demo.agents import Agent, agents
from workbench.demo.client import ChatClient, ChatError, Message
from workbench.io.atomic import AlreadyExistsError, write_atomic
from workbench.io.store import SUFFIX

__all__ = ["Agent", "TrafficReport", "agents", "install_fixtures", "play"]

PAUSE = 0.02


@dataclass(frozen=True, slots=True)
class TrafficReport:
    """What came of playing the agents.

    Attributes:
        answered: requests that got an answer, be it the fallback.
        agents: names of those that came to speak.
        problems: what went wrong, one sentence each.
        stopped: whether it was told to stop before the end.
    """

    answered: int
    agents: tuple[str, ...]
    problems: tuple[str, ...] = ()
    stopped: bool = False

    @property
    def text(self) -> str:
        """One line: ``21 requests of 8 agents``, and what went wrong."""
        count = f"{self.answered} requests of {len(self.agents)} agents"
        return "; ".join([count, *self.problems])


class _StoppedError(Exception):
    """Playing was told to stop."""


class _Player:
    """Asks for the agents, with a pause before each request in which it can be stopped."""

    def __init__(self, client: ChatClient, stop: threading.Event, pause: float) -> None:
        self._client = client
        self._stop = stop
        self._pause = pause
        self.answered = 0

    def ask(self, payload: Mapping[str, Any]) -> Message:
        if self._stop.wait(self._pause):
            raise _StoppedError
        message = self._client.ask(payload)
        self.answered += 1
        return message


def play(base_url: str, stop: threading.Event | None = None, pause: float = PAUSE) -> TrafficReport:
    """Let every agent talk to the server at ``base_url``, over real HTTP, one after the other.

    Blocks until they are done or ``stop`` is set. Never raises for what a server does: a server
    that is not there or answers with errors is in the report.

    Args:
        pause: seconds before each request.
    """
    spoke: list[str] = []
    problems: list[str] = []
    stopped = False
    player = _Player(ChatClient(base_url), stop or threading.Event(), pause)
    for agent in agents():
        spoke.append(agent.name)
        try:
            agent.converse(player.ask)
        except _StoppedError:
            stopped = True
            break
        except ChatError as error:
            problems.append(f"{agent.name}: {error}")
            if error.unreachable:
                break
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            # As real agents do when a fixture holds what no model would say.
            problems.append(f"{agent.name} could not use its answer: {type(error).__name__}")
    return TrafficReport(player.answered, tuple(spoke), tuple(problems), stopped)


def install_fixtures(folder: Path) -> int:
    """Copy the shipped fixtures into ``folder``; returns how many. Files there are left alone.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    installed = 0
    for entry in (resources.files("workbench.demo") / "fixtures").iterdir():
        if entry.name.endswith(SUFFIX):
            with contextlib.suppress(AlreadyExistsError):
                write_atomic(folder / entry.name, entry.read_bytes(), create=True)
                installed += 1
    return installed
