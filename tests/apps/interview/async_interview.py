"""The interview as an application that awaits its model and its expert."""

from __future__ import annotations

import json
from typing import Any

import httpx2
from openai import AsyncOpenAI

from tests.apps.interview.interview import (
    QUESTION_PROMPT,
    State,
    Surrogate,
    interpret_messages,
    next_state,
    question_messages,
)
from workbench.testing import acall, node, parsed, run_transport


class AsyncInterview:
    """One interview, made and used within one event loop.

    Args:
        base_url: of the model's server; ends in /v1.
        surrogate: answers a question in the place of an expert.
    """

    def __init__(self, base_url: str, surrogate: Surrogate) -> None:
        self._surrogate = surrogate
        self._client = AsyncOpenAI(
            base_url=base_url,
            api_key="none",
            max_retries=0,
            http_client=httpx2.AsyncClient(transport=run_transport()),
        )

    async def step(self, state: State) -> State:
        """One question and its answer."""
        with node("formulate-question"):
            question = str(parsed(await self._ask(question_messages(state, QUESTION_PROMPT))))
        answer = await acall("get-answer", self._answer, question)
        with node("interpret-response"):
            text = await self._ask(interpret_messages(question, answer), stream=True)
            told = parsed(json.loads(text))
        return next_state(state, question, answer, told)

    async def close(self) -> None:
        await self._client.close()

    async def _answer(self, question: str) -> str:
        return self._surrogate(question)

    async def _ask(self, messages: list[Any], *, stream: bool = False) -> str:
        if not stream:
            reply = await self._client.chat.completions.create(model="gpt-4o", messages=messages)
            return reply.choices[0].message.content or ""
        chunks = await self._client.chat.completions.create(
            model="gpt-4o",
            messages=messages,
            stream=True,
            response_format={"type": "json_object"},
        )
        return "".join(
            [chunk.choices[0].delta.content or "" async for chunk in chunks if chunk.choices]
        )
