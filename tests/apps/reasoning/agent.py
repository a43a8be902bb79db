"""What the agents have in common: the model is asked with tools whose executor collects records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.apps.reasoning import tools
from tests.apps.reasoning.memory import Memory


class Agent:
    """An agent with its tools; ``execute`` returns how many records it made."""

    system = ""
    tools: tuple[dict[str, Any], ...] = ()

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.made: list[dict[str, Any]] = []

    async def execute(self) -> int:
        self.made = []
        await self.ask(
            prompt=self.prompt(),
            system=self.system,
            tools=list(self.tools),
            tool_executor=self.run_tool,
        )
        return self.keep()

    async def ask(self, **arguments: Any) -> Any:
        """Call the model; each agent by the name its own module knows it by."""
        raise NotImplementedError

    def prompt(self) -> str:
        raise NotImplementedError

    def keep(self) -> int:
        raise NotImplementedError

    def run_tool(self, name: str, given: dict[str, Any]) -> str:
        """What the model is told of its call; errors begin with ``ERROR:``."""
        if name not in {tool["name"] for tool in self.tools}:
            return f"ERROR: Unknown tool: {name}"
        problem = self.problem(name, given)
        if problem:
            return f"ERROR: {problem}"
        self.made.append({"tool": name, **given})
        return "recorded"

    def problem(self, name: str, given: dict[str, Any]) -> str:  # noqa: ARG002
        """What keeps a call from being recorded; "" for nothing."""
        if "content" in given and not given["content"].strip():
            return "content must not be empty"
        if given.get("confidence", 1.0) < tools.CONFIDENCE_THRESHOLD:
            return f"confidence must be at least {tools.CONFIDENCE_THRESHOLD}"
        return ""


def lines(records: Iterable[dict[str, Any]]) -> str:
    return "\n".join(f"{record['id']}: {record['content']}" for record in records)


def keep(records: list[dict[str, Any]], prefix: str, made: list[dict[str, Any]]) -> int:
    for record in made:
        records.append({"id": f"{prefix}{len(records) + 1}", **record})
    return len(made)
