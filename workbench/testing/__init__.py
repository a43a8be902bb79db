"""Testing LLM applications: a scripted model, spies on tools, golden queries, recorded runs.

With the pytest fixture ``mock_llm``::

    def test_the_plan_is_rejected_once(mock_llm):
        mock_llm.role("planner", system="You are the planner")
        mock_llm.role("critic", system="You are the critic")
        mock_llm.script(Reply.json(thin), Reply.json(better), role="planner")
        mock_llm.script(Reply.json(reject), Reply.json(approve), role="critic")
        build_app(base_url=mock_llm.base_url).run("What is 2 + 2?")
        mock_llm.assert_calls(["planner", "critic", "planner", "critic"])
        mock_llm.assert_finished()

Everything public is here; what a test does not use is not loaded.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.core.runs.evals import Check
    from workbench.core.runs.replay import MissingReplyError
    from workbench.testing.agent_calls import AgentCall, SyncAgentCall
    from workbench.testing.agents import agent_mock, combine
    from workbench.testing.calls import Call
    from workbench.testing.checkpointer import Checkpointer
    from workbench.testing.checkpoints import Checkpoint, CheckpointError
    from workbench.testing.checks import (
        check_differentiation,
        check_filled,
        check_filters,
        check_grounded,
        check_ordering,
        check_relevance,
        check_results,
        check_schema,
        check_tool,
    )
    from workbench.testing.errors import (
        CallFailedError,
        InvalidToolCallError,
        MockLLMError,
        NoReplyError,
        ReplyFunctionError,
        ScriptExhaustedError,
        TooManyCallsError,
        UndeclaredRoleError,
        UnknownRoleError,
    )
    from workbench.testing.golden import GoldenQuery
    from workbench.testing.mock_llm import MockLLM
    from workbench.testing.recorded_http import run_transport
    from workbench.testing.recording import RecordedError, acall, call, node, parsed
    from workbench.testing.replaying import Replayed, areplay, replay
    from workbench.testing.replies import Reply
    from workbench.testing.responses import MockLLMResponse
    from workbench.testing.runs import Run
    from workbench.testing.seams import ResultsExhaustedError, scripted
    from workbench.testing.spies import ToolCall, ToolCallSpy

_HOME = {
    "AgentCall": "agent_calls",
    "Call": "calls",
    "CallFailedError": "errors",
    "Check": "checks",
    "Checkpoint": "checkpoints",
    "CheckpointError": "checkpoints",
    "Checkpointer": "checkpointer",
    "GoldenQuery": "golden",
    "InvalidToolCallError": "errors",
    "MissingReplyError": "modes",
    "MockLLM": "mock_llm",
    "MockLLMError": "errors",
    "MockLLMResponse": "responses",
    "NoReplyError": "errors",
    "RecordedError": "recording",
    "Replayed": "replaying",
    "Reply": "replies",
    "ReplyFunctionError": "errors",
    "ResultsExhaustedError": "seams",
    "Run": "runs",
    "ScriptExhaustedError": "errors",
    "SyncAgentCall": "agent_calls",
    "TooManyCallsError": "errors",
    "ToolCall": "spies",
    "ToolCallSpy": "spies",
    "UndeclaredRoleError": "errors",
    "UnknownRoleError": "errors",
    "acall": "recording",
    "agent_mock": "agents",
    "areplay": "replaying",
    "call": "recording",
    "check_differentiation": "checks",
    "check_filled": "checks",
    "check_filters": "checks",
    "check_grounded": "checks",
    "check_ordering": "checks",
    "check_relevance": "checks",
    "check_results": "checks",
    "check_schema": "checks",
    "check_tool": "checks",
    "combine": "agents",
    "node": "recording",
    "parsed": "recording",
    "replay": "replaying",
    "run_transport": "recorded_http",
    "scripted": "seams",
}

__all__ = [
    "AgentCall",
    "Call",
    "CallFailedError",
    "Check",
    "Checkpoint",
    "CheckpointError",
    "Checkpointer",
    "GoldenQuery",
    "InvalidToolCallError",
    "MissingReplyError",
    "MockLLM",
    "MockLLMError",
    "MockLLMResponse",
    "NoReplyError",
    "RecordedError",
    "Replayed",
    "Reply",
    "ReplyFunctionError",
    "ResultsExhaustedError",
    "Run",
    "ScriptExhaustedError",
    "SyncAgentCall",
    "TooManyCallsError",
    "ToolCall",
    "ToolCallSpy",
    "UndeclaredRoleError",
    "UnknownRoleError",
    "acall",
    "agent_mock",
    "areplay",
    "call",
    "check_differentiation",
    "check_filled",
    "check_filters",
    "check_grounded",
    "check_ordering",
    "check_relevance",
    "check_results",
    "check_schema",
    "check_tool",
    "combine",
    "node",
    "parsed",
    "replay",
    "run_transport",
    "scripted",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
