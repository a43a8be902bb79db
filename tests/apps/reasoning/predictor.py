"""The agent that says what follows from hypotheses."""

from __future__ import annotations

from typing import Any

from tests.apps.reasoning import tools
from tests.apps.reasoning.agent import Agent, keep, lines
from tests.apps.reasoning.llm import llm_call


class Predictor(Agent):
    system = "You are the predictor. Say what follows from the hypotheses."
    tools = (tools.CREATE_PREDICTION,)

    async def ask(self, **arguments: Any) -> Any:
        return await llm_call(**arguments)

    def prompt(self) -> str:
        return f"Hypotheses:\n{lines(self.memory.hypotheses)}"

    def keep(self) -> int:
        return keep(self.memory.predictions, "r", self.made)
