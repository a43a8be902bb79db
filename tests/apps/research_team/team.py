"""The graph: planner, researcher and expert in turn, each before the critic; the finalizer last.

Rejected work is done again, with the critic's feedback. After ``retry_limit`` rejections in all, or
an error, the question counts as one that could not be answered.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any, Self

from langgraph.graph import END, START, StateGraph

from tests.apps.research_team.model import Method, Model
from tests.apps.research_team.roles import Expertise, Final, Plan, Verdict, prompt
from tests.apps.research_team.state import NO_ANSWER, Message, State

WORKERS = ("planner", "researcher", "expert")
MAX_STEPS = 200

logger = logging.getLogger("research_team")


class ResearchTeam:
    """Answers questions with the model behind ``base_url``; to be used in a ``with`` block."""

    def __init__(
        self, base_url: str, *, method: Method = "json_schema", retry_limit: int = 5
    ) -> None:
        self._model = Model(base_url, method)
        self._retry_limit = retry_limit
        self._graph = self._compiled()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._model.close()

    def run(self, question: str) -> State:
        """Answer ``question``; the state at the end."""
        first: State = {
            "question": question,
            "retry_limit": self._retry_limit,
            "retry_count": 0,
            "worker": "planner",
            "plan": {"research_steps": [], "expert_steps": []},
            "step": 0,
            "results": [],
            "answer": "",
            "reasoning": "",
            "feedback": "",
            "messages": [],
            "next_step": "planner",
            "final_answer": "",
            "final_reasoning_trace": "",
            "error": None,
        }
        return self._graph.invoke(first, {"recursion_limit": MAX_STEPS})  # type: ignore[no-any-return]

    def _compiled(self) -> Any:
        graph: Any = StateGraph(State)
        nodes: dict[str, Callable[[State], State]] = {
            "planner": self._plan,
            "researcher": self._research,
            "expert": self._expert,
            "critic": self._critic,
            "finalizer": self._finalize,
        }
        for name, node in nodes.items():
            graph.add_node(name, self._guarded(name, node))
            graph.add_conditional_edges(name, lambda state: state["next_step"])
        graph.add_edge(START, "planner")
        return graph.compile()

    def _guarded(self, name: str, node: Callable[[State], State]) -> Callable[[State], State]:
        """The node, whose errors end the work instead of the program."""

        def run(state: State) -> State:
            logger.info("%s: started", name)
            try:
                return node(state)
            except Exception as error:
                logger.error("%s: %s", name, error)
                return {"error": f"{name}: {error}", **_unanswered()}

        return run

    def _plan(self, state: State) -> State:
        plan = self._model.ask(Plan, prompt("planner"), _task(state, state["question"]))
        return {"plan": plan.model_dump(), **_to_critic("planner", plan.model_dump_json())}

    def _research(self, state: State) -> State:
        step = state["plan"]["research_steps"][state["step"]]
        text = self._model.research(prompt("researcher", step=step), _task(state, step))
        results = [*state["results"][: state["step"]], text]
        return {"results": results, **_to_critic("researcher", text, state["step"])}

    def _expert(self, state: State) -> State:
        steps = "; ".join(state["plan"]["expert_steps"])
        results = json.dumps(state["results"], ensure_ascii=False)
        text = _task(state, f"{state['question']} {steps}".strip())
        said = self._model.ask(Expertise, prompt("expert", results=results), text)
        return {
            "answer": said.expert_answer,
            "reasoning": said.reasoning_trace,
            **_to_critic("expert", said.model_dump_json()),
        }

    def _critic(self, state: State) -> State:
        worker, work = state["worker"], state["messages"][-1]["content"]
        verdict = self._model.ask(Verdict, prompt("critic", worker=worker), work)
        if verdict.decision == "approve":
            return _after(worker, state)
        count = state["retry_count"] + 1
        rejected: State = {"retry_count": count, "feedback": verdict.feedback}
        if count >= state["retry_limit"]:
            return {**rejected, **_unanswered()}
        message = _message("critic", worker, "feedback", verdict.feedback)
        return {**rejected, "next_step": worker, "messages": [message]}

    def _finalize(self, state: State) -> State:
        final = self._model.ask(
            Final, prompt("finalizer", answer=state["answer"]), state["question"]
        )
        return {**final.model_dump(), "next_step": END}  # type: ignore[typeddict-item]


def _after(worker: str, state: State) -> State:
    """Where approved work leads."""
    steps = state["plan"]["research_steps"]
    if worker == "planner":
        following: State = {
            "step": 0,
            "results": [],
            "next_step": "researcher" if steps else "expert",
        }
    elif worker == "researcher":
        done = state["step"] + 1
        following = {"step": done, "next_step": "researcher" if done < len(steps) else "expert"}
    else:
        following = {"next_step": "finalizer"}
    return {"feedback": "", **following}


def _to_critic(worker: str, work: str, step: int | None = None) -> State:
    message = _message(worker, "critic", "work", work, step)
    return {"worker": worker, "next_step": "critic", "messages": [message]}


def _message(
    sender: str, receiver: str, type: str, content: str, step: int | None = None
) -> Message:
    return {
        "sender": sender,
        "receiver": receiver,
        "type": type,
        "content": content,
        "step_id": step,
    }


def _task(state: State, text: str) -> str:
    """What a worker is asked; rejected work with the feedback."""
    feedback = state["feedback"]
    return f"{text}\nYour work was rejected: {feedback}" if feedback else text


def _unanswered() -> State:
    return {"final_answer": NO_ANSWER, "final_reasoning_trace": NO_ANSWER, "next_step": END}
