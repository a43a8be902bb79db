"""Runs the sample agents against a server."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.demo.agents import AGENTS, WAITING, Agents
from workbench.demo.agents.chat import READ_ALOUD
from workbench.demo.client import Message, ModelClient, ModelError
from workbench.io.network.control_client import ControlClient, ControlError

PAUSE: Final = 0.02


@dataclass(slots=True)
class TrafficReport:
    """The result of running the agents: the fallback counts as an answer."""

    answered: int = 0
    agents: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """One line: ``21 requests of 8 agents``, and what went wrong."""
        count = f"{self.answered} requests of {len(self.agents)} agents"
        return "; ".join([count, *self.problems])


def play(base_url: str, pause: float = PAUSE) -> TrafficReport:
    """Run all agents against the server at ``base_url``, over real HTTP, one after the other, with
    a pause in seconds before each request; then send a request to an API that the server does not
    support. Errors of the server are in the report.
    """
    client = ModelClient(base_url)
    report = _run(AGENTS, client, pause)
    with contextlib.suppress(ModelError):
        client.post(*READ_ALOUD)
    return report


def play_held(base_url: str) -> None:
    """Let the server hold requests without a fixture from now on, and run an agent that waits for
    its answers. Returns when it has them, or when the server ends.
    """
    with contextlib.suppress(ControlError):
        ControlClient(base_url).set_hold(enabled=True)
        _run(WAITING, ModelClient(base_url), PAUSE)


def _run(agents: Agents, client: ModelClient, pause: float) -> TrafficReport:
    report = TrafficReport()

    def ask(payload: Mapping[str, Any]) -> Message:
        time.sleep(pause)
        message = client.ask(payload)
        report.answered += 1
        return message

    for name, converse in agents.items():
        report.agents.append(name)
        try:
            converse(ask)
        except ModelError as error:
            report.problems.append(f"{name}: {error}")
            if error.unreachable:
                break
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            # Real agents also fail like this if a fixture contains text that no model would send.
            report.problems.append(f"{name} could not use its answer: {type(error).__name__}")
    return report
