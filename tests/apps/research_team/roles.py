"""Who is in the team: what each is told, and the shape of what each answers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class Plan(BaseModel):
    research_steps: list[str]
    expert_steps: list[str]


class Finding(BaseModel):
    result: str


class Expertise(BaseModel):
    expert_answer: str
    reasoning_trace: str


class Verdict(BaseModel):
    decision: Literal["approve", "reject"]
    feedback: str = ""


class Final(BaseModel):
    final_answer: str
    final_reasoning_trace: str


PROMPTS = {
    "planner": "You are the planner. Split the question into research steps and expert steps.",
    "researcher": "You are the researcher. Do this step with the search tool: {step}",
    "expert": "You are the expert. Answer from the research results: {results}",
    "critic": "You are the critic. Approve or reject the work of the {worker}.",
    "finalizer": "You are the finalizer. Write the final answer from: {answer}",
}


def prompt(role: str, **values: str) -> str:
    """The system prompt of a role. Raises KeyError for a value that is missing."""
    return PROMPTS[role].format(**values)
