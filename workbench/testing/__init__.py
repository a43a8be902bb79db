"""Testing LLM applications: a scripted model, spies on tools, golden queries, recordings.

With the pytest fixture ``mock_llm``::

    def test_the_plan_is_rejected_once(mock_llm):
        mock_llm.role("planner", system="You are the planner")
        mock_llm.role("critic", system="You are the critic")
        mock_llm.script(Reply.json(thin), Reply.json(better), role="planner")
        mock_llm.script(Reply.json(reject), Reply.json(approve), role="critic")
        build_app(base_url=mock_llm.base_url).run("What is 2 + 2?")
        mock_llm.assert_calls(["planner", "critic", "planner", "critic"])
        mock_llm.assert_finished()

Everything public is here; the modules are loaded when their names are used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.core.evals import Check as Check
    from workbench.core.recordings.replay import MissingReplyError as MissingReplyError
    from workbench.testing.evals.checks import check_differentiation as check_differentiation
    from workbench.testing.evals.checks import check_filled as check_filled
    from workbench.testing.evals.checks import check_filters as check_filters
    from workbench.testing.evals.checks import check_grounded as check_grounded
    from workbench.testing.evals.checks import check_ordering as check_ordering
    from workbench.testing.evals.checks import check_relevance as check_relevance
    from workbench.testing.evals.checks import check_results as check_results
    from workbench.testing.evals.checks import check_schema as check_schema
    from workbench.testing.evals.checks import check_tool as check_tool
    from workbench.testing.evals.golden import GoldenQuery as GoldenQuery
    from workbench.testing.evals.spies import ToolCall as ToolCall
    from workbench.testing.evals.spies import ToolCallSpy as ToolCallSpy
    from workbench.testing.mocks.agent_calls import AgentCall as AgentCall
    from workbench.testing.mocks.agent_calls import MockLLMResponse as MockLLMResponse
    from workbench.testing.mocks.agent_calls import SyncAgentCall as SyncAgentCall
    from workbench.testing.mocks.calls import Call as Call
    from workbench.testing.mocks.errors import CallFailedError as CallFailedError
    from workbench.testing.mocks.errors import InvalidOutputError as InvalidOutputError
    from workbench.testing.mocks.errors import InvalidToolCallError as InvalidToolCallError
    from workbench.testing.mocks.errors import MockLLMError as MockLLMError
    from workbench.testing.mocks.errors import MockServerError as MockServerError
    from workbench.testing.mocks.errors import NoReplyError as NoReplyError
    from workbench.testing.mocks.errors import ReplyFunctionError as ReplyFunctionError
    from workbench.testing.mocks.errors import ScriptExhaustedError as ScriptExhaustedError
    from workbench.testing.mocks.errors import TooManyCallsError as TooManyCallsError
    from workbench.testing.mocks.errors import UndeclaredRoleError as UndeclaredRoleError
    from workbench.testing.mocks.errors import UnknownRoleError as UnknownRoleError
    from workbench.testing.mocks.mock_llm import MockLLM as MockLLM
    from workbench.testing.mocks.patching import ResultsExhaustedError as ResultsExhaustedError
    from workbench.testing.mocks.patching import agent_mock as agent_mock
    from workbench.testing.mocks.patching import combine as combine
    from workbench.testing.mocks.patching import scripted as scripted
    from workbench.testing.mocks.replies import Reply as Reply
    from workbench.testing.recordings.checkpoint_file import CheckpointError as CheckpointError
    from workbench.testing.recordings.checkpointer import Checkpointer as Checkpointer
    from workbench.testing.recordings.checkpoints import Checkpoint as Checkpoint
    from workbench.testing.recordings.nodes import RecordedError as RecordedError
    from workbench.testing.recordings.nodes import acall as acall
    from workbench.testing.recordings.nodes import call as call
    from workbench.testing.recordings.nodes import node as node
    from workbench.testing.recordings.nodes import parsed as parsed
    from workbench.testing.recordings.recorded_http import run_transport as run_transport
    from workbench.testing.recordings.replaying import Replayed as Replayed
    from workbench.testing.recordings.replaying import areplay as areplay
    from workbench.testing.recordings.replaying import replay as replay
    from workbench.testing.recordings.run import Run as Run

_NAMES = {
    "mocks.agent_calls": "AgentCall MockLLMResponse SyncAgentCall",
    "mocks.patching": "ResultsExhaustedError agent_mock combine scripted",
    "evals.checks": "Check check_differentiation check_filled check_filters check_grounded "
    "check_ordering check_relevance check_results check_schema check_tool",
    "evals.golden": "GoldenQuery",
    "evals.spies": "ToolCall ToolCallSpy",
    "mocks.calls": "Call",
    "mocks.errors": "CallFailedError InvalidOutputError InvalidToolCallError MockLLMError "
    "MockServerError NoReplyError ReplyFunctionError ScriptExhaustedError TooManyCallsError "
    "UndeclaredRoleError UnknownRoleError",
    "mocks.mock_llm": "MockLLM",
    "mocks.replies": "Reply",
    "recordings.checkpointer": "Checkpointer",
    "recordings.checkpoint_file": "CheckpointError",
    "recordings.checkpoints": "Checkpoint",
    "recordings.modes": "MissingReplyError",
    "recordings.recorded_http": "run_transport",
    "recordings.nodes": "RecordedError acall call node parsed",
    "recordings.replaying": "Replayed areplay replay",
    "recordings.run": "Run",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_MODULES)  # the imports above say the same to type checkers


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
