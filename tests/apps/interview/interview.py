"""The interview: formulate a question, get its answer, interpret that; until all is known.

State is one JSON object. Each step spends some of the budget; the interview is complete when the
model says so or the budget is spent.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import httpx2
from openai import OpenAI

from workbench.testing import Checkpointer, call, node, parsed, run_transport

QUESTION_PROMPT = (
    "You interview a craft brewery about its data. Ask one question about what is not known yet."
)
INTERPRET_PROMPT = (
    "Say in JSON what an answer tells: areas (names of what the brewery keeps track of) and "
    "complete (whether nothing more needs to be asked)."
)
COST = 0.15
FIRST_DAY = date(2025, 10, 30)

State = dict[str, Any]
Surrogate = Callable[[str], str]


def new_state() -> State:
    return {
        "messages": [],
        "areas": [],
        "budget_left": 1.0,
        "asked_on": FIRST_DAY,
        "complete": False,
    }


def question_messages(state: State, prompt: str) -> list[Any]:
    """What the model is asked for its next question."""
    said = [
        {
            "role": "assistant" if message["from"] == "system" else "user",
            "content": message["content"],
        }
        for message in state["messages"]
    ]
    return [{"role": "system", "content": prompt}, *said]


def interpret_messages(question: str, answer: str) -> list[Any]:
    """What the model is asked for what an answer tells."""
    return [
        {"role": "system", "content": INTERPRET_PROMPT},
        {"role": "user", "content": f"Question: {question}\nAnswer: {answer}"},
    ]


def next_state(state: State, question: str, answer: str, told: dict[str, Any]) -> State:
    left = round(state["budget_left"] - COST, 2)
    return {
        "messages": [
            *state["messages"],
            {"from": "system", "content": question},
            {"from": "surrogate", "content": answer},
        ],
        "areas": sorted({*state["areas"], *told["areas"]}),
        "budget_left": left,
        "asked_on": state["asked_on"] + timedelta(days=1),
        "complete": bool(told["complete"]) or left < COST,
    }


class Interview:
    """One interview.

    Args:
        base_url: of the model's server; ends in /v1.
        surrogate: answers a question in the place of an expert.
        prompt: what the model is told before it asks.
    """

    def __init__(
        self, base_url: str, surrogate: Surrogate, *, prompt: str = QUESTION_PROMPT
    ) -> None:
        self._surrogate = surrogate
        self._prompt = prompt
        self._client = OpenAI(
            base_url=base_url,
            api_key="none",
            max_retries=0,
            http_client=httpx2.Client(transport=run_transport()),
        )

    def step(self, state: State) -> State:
        """One question and its answer."""
        with node("formulate-question"):
            question = str(parsed(self._ask(question_messages(state, self._prompt))))
        answer = call("get-answer", self._surrogate, question)
        with node("interpret-response"):
            told = parsed(json.loads(self._ask(interpret_messages(question, answer), stream=True)))
        return next_state(state, question, answer, told)

    def run(self, checkpoints: Checkpointer, max_iterations: int = 10) -> State:
        """The whole interview from its beginning."""
        state = new_state()
        checkpoints.save(state, 0, step="start")
        for iteration in range(1, max_iterations + 1):
            state = self.step(state)
            checkpoints.save(
                state, iteration, step=f"iteration-{iteration}", is_complete=state["complete"]
            )
            if state["complete"]:
                break
        return state

    def close(self) -> None:
        self._client.close()

    def _ask(self, messages: list[Any], *, stream: bool = False) -> str:
        if not stream:
            reply = self._client.chat.completions.create(model="gpt-4o", messages=messages)
            return reply.choices[0].message.content or ""
        chunks = self._client.chat.completions.create(
            model="gpt-4o",
            messages=messages,
            stream=True,
            response_format={"type": "json_object"},
        )
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
