"""What the team knows while it works on a question."""

from __future__ import annotations

import operator
from typing import Annotated, TypedDict

NO_ANSWER = "The question could not be answered."


class Message(TypedDict):
    """One message of the team, for its log."""

    sender: str
    receiver: str
    type: str
    content: str
    step_id: int | None


class State(TypedDict, total=False):
    question: str
    retry_limit: int
    retry_count: int
    worker: str
    plan: dict[str, list[str]]
    step: int
    results: list[str]
    answer: str
    reasoning: str
    feedback: str
    messages: Annotated[list[Message], operator.add]
    next_step: str
    final_answer: str
    final_reasoning_trace: str
    error: str | None
