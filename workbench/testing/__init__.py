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
    from workbench.testing.agents.agent_calls import AgentCall, MockLLMResponse, SyncAgentCall
    from workbench.testing.agents.patching import (
        ResultsExhaustedError,
        agent_mock,
        combine,
        scripted,
    )
    from workbench.testing.evals.checks import (
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
    from workbench.testing.evals.golden import GoldenQuery
    from workbench.testing.evals.spies import ToolCall, ToolCallSpy
    from workbench.testing.mocks.calls import Call
    from workbench.testing.mocks.errors import (
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
    from workbench.testing.mocks.mock_llm import MockLLM
    from workbench.testing.mocks.replies import Reply
    from workbench.testing.runs.checkpointer import Checkpointer
    from workbench.testing.runs.checkpoints import Checkpoint, CheckpointError
    from workbench.testing.runs.recorded_http import run_transport
    from workbench.testing.runs.recording import RecordedError, acall, call, node, parsed
    from workbench.testing.runs.replaying import Replayed, areplay, replay
    from workbench.testing.runs.run import Run

_HOME = {
    "AgentCall": "agents.agent_calls",
    "Call": "mocks.calls",
    "CallFailedError": "mocks.errors",
    "Check": "evals.checks",
    "Checkpoint": "runs.checkpoints",
    "CheckpointError": "runs.checkpoints",
    "Checkpointer": "runs.checkpointer",
    "GoldenQuery": "evals.golden",
    "InvalidToolCallError": "mocks.errors",
    "MissingReplyError": "runs.modes",
    "MockLLM": "mocks.mock_llm",
    "MockLLMError": "mocks.errors",
    "MockLLMResponse": "agents.agent_calls",
    "NoReplyError": "mocks.errors",
    "RecordedError": "runs.recording",
    "Replayed": "runs.replaying",
    "Reply": "mocks.replies",
    "ReplyFunctionError": "mocks.errors",
    "ResultsExhaustedError": "agents.patching",
    "Run": "runs.run",
    "ScriptExhaustedError": "mocks.errors",
    "SyncAgentCall": "agents.agent_calls",
    "TooManyCallsError": "mocks.errors",
    "ToolCall": "evals.spies",
    "ToolCallSpy": "evals.spies",
    "UndeclaredRoleError": "mocks.errors",
    "UnknownRoleError": "mocks.errors",
    "acall": "runs.recording",
    "agent_mock": "agents.patching",
    "areplay": "runs.replaying",
    "call": "runs.recording",
    "check_differentiation": "evals.checks",
    "check_filled": "evals.checks",
    "check_filters": "evals.checks",
    "check_grounded": "evals.checks",
    "check_ordering": "evals.checks",
    "check_relevance": "evals.checks",
    "check_results": "evals.checks",
    "check_schema": "evals.checks",
    "check_tool": "evals.checks",
    "combine": "agents.patching",
    "node": "runs.recording",
    "parsed": "runs.recording",
    "replay": "runs.replaying",
    "run_transport": "runs.recorded_http",
    "scripted": "agents.patching",
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
