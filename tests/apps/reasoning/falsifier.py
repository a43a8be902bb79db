"""The agent that tries to contradict predictions."""

from __future__ import annotations

from typing import Any

from tests.apps.reasoning import tools
from tests.apps.reasoning.agent import Agent, keep
from tests.apps.reasoning.llm import llm_call


class Falsifier(Agent):
    system = "You are the falsifier. Search for what contradicts the prediction, then judge it."
    tools = (tools.GENERATE_SEARCH_QUERY, tools.EVALUATE_PREDICTION)

    async def ask(self, **arguments: Any) -> Any:
        return await llm_call(**arguments)

    def prompt(self) -> str:
        return f"Prediction: {self.memory.untested()[0]['content']}"

    def keep(self) -> int:
        prediction = self.memory.untested()[0]["id"]
        judged = [made for made in self.made if made["tool"] == "evaluate_prediction"]
        return keep(
            self.memory.falsifications,
            "f",
            [{**made, "prediction_id": prediction} for made in judged],
        )
