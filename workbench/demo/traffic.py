"""Runs the sample agents against a server, and installs fixtures for some of their requests."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from workbench.demo.agents import agents
from workbench.demo.client import ChatClient, ChatError, Message
from workbench.io.atomic import AlreadyExistsError, write_atomic
from workbench.io.store import SUFFIX

PAUSE: Final = 0.02


@dataclass(frozen=True, slots=True)
class TrafficReport:
    """The result of running the agents.

    Attributes:
        answered: how many requests got an answer, the fallback included.
        agents: names of those that ran.
        problems: what went wrong, one sentence each.
        stopped: whether it was stopped before the end.
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
    """The traffic is to stop."""


class _Player:
    """Sends the agents' requests, after a pause in which it can be stopped."""

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
    """Run all agents against the server at ``base_url``, over real HTTP, one after the other.

    Blocks until they are done or ``stop`` is set. Errors of the server are in the report.

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
            # Real agents fail like this, too, when a fixture contains what no model would say.
            problems.append(f"{agent.name} could not use its answer: {type(error).__name__}")
    return TrafficReport(player.answered, tuple(spoke), tuple(problems), stopped)


def install_fixtures(folder: Path) -> int:
    """Copy the sample fixtures into ``folder``; returns how many. Existing files are not changed.
    Raises OSError if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    installed = 0
    for entry in (resources.files("workbench.demo") / "fixtures").iterdir():
        if entry.name.endswith(SUFFIX):
            with contextlib.suppress(AlreadyExistsError):
                write_atomic(folder / entry.name, entry.read_bytes(), create=True)
                installed += 1
    return installed
