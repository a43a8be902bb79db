"""The agent that generalises from predictions."""

from __future__ import annotations

from typing import Any

from tests.apps.reasoning import tools
from tests.apps.reasoning.agent import Agent, keep, lines
from tests.apps.reasoning.llm import llm_call


class Inductor(Agent):
    system = "You are the inductor. Generalise from the predictions that stood."
    tools = (tools.CREATE_INDUCTION,)

    async def ask(self, **arguments: Any) -> Any:
        return await llm_call(**arguments)

    def prompt(self) -> str:
        return f"Predictions:\n{lines(self.memory.predictions)}"

    def keep(self) -> int:
        return keep(self.memory.inductions, "i", self.made)
