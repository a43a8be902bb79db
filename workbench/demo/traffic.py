"""Runs the sample agents against a server, and installs fixtures for some of their requests."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final

from workbench.demo.agents import AGENTS
from workbench.demo.client import Message, ModelClient, ModelError
from workbench.io.atomic import AlreadyExistsError, write_atomic
from workbench.io.fixtures.store import SUFFIX

PAUSE: Final = 0.02


@dataclass(slots=True)
class TrafficReport:
    """The result of running the agents.

    Attributes:
        answered: how many requests got an answer, the fallback included.
    """

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
    a pause in seconds before each request. Errors of the server are in the report.
    """
    report = TrafficReport()
    client = ModelClient(base_url)

    def ask(payload: Mapping[str, Any]) -> Message:
        time.sleep(pause)
        message = client.ask(payload)
        report.answered += 1
        return message

    for name, converse in AGENTS.items():
        report.agents.append(name)
        try:
            converse(ask)
        except ModelError as error:
            report.problems.append(f"{name}: {error}")
            if error.unreachable:
                break
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            # Real agents fail like this, too, when a fixture contains what no model would say.
            report.problems.append(f"{name} could not use its answer: {type(error).__name__}")
    return report


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
