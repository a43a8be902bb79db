"""The agent that explains premises by hypotheses."""

from __future__ import annotations

from typing import Any

from tests.apps.reasoning import tools
from tests.apps.reasoning.agent import Agent, keep, lines
from tests.apps.reasoning.llm import llm_call


class Abducer(Agent):
    system = "You are the abducer. Explain the premises by hypotheses that are not there yet."
    tools = (tools.CREATE_HYPOTHESIS,)

    async def ask(self, **arguments: Any) -> Any:
        return await llm_call(**arguments)

    def prompt(self) -> str:
        known = lines(self.memory.hypotheses)
        return f"Premises:\n{lines(self.memory.premises)}\nHypotheses:\n{known}"

    def problem(self, name: str, given: dict[str, Any]) -> str:
        if not given["source_premise_ids"]:
            return "source_premise_ids must contain at least one premise ID"
        return super().problem(name, given)

    def keep(self) -> int:
        return keep(self.memory.hypotheses, "h", self.made)
