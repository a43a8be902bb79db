"""Adapt a scripted reply to one request, and check it against the request."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from workbench.core.apis.table import view
from workbench.core.fixture.skeleton import call_id, demanded_tool
from workbench.core.replies.response import calls as tool_calls
from workbench.core.requests.view import Payload
from workbench.testing.mocks.replies import Reply

__tracebackhide__ = True  # failed tests show their own frames

# The rules for tool calls. Arguments that are not JSON are written on purpose.
_RULES: Final = ("tool-not-offered", "arguments-not-object", "arguments-schema")


def placed(reply: Reply, payload: Payload, digest: str) -> Reply:
    """``reply`` for one request: with structured output if the request requires it, and with IDs of
    tool calls, which are derived from the digest.
    """
    response = reply.response
    if reply.structured is not None:
        tool = demanded_tool(view(payload))
        if tool is None:
            response = {"content": reply.structured, "finish_reason": "stop", **response}
        else:
            call = {"name": tool.name, "arguments": reply.structured}
            response = {**Reply.tool_calls([call]).response, **response}
    calls = response.get("tool_calls")
    if calls:
        named = [{"index": i, "id": call_id(digest, i), **call} for i, call in enumerate(calls)]
        response = {**response, "tool_calls": named}
    return replace(reply, response=response, structured=None)


def misfits(reply: Reply, payload: Payload) -> list[str]:
    """Why no model could make the tool calls of ``reply``: each with its tool, the place in the
    arguments and what the schema requires. Empty if a model could, or if the reply is unchecked.
    """
    if reply.unchecked or not reply.response.get("tool_calls"):
        return []
    from workbench.core.fixture import rules

    text = json.dumps({"response": reply.response})
    findings = rules.check(text, rules.Context(requests=(payload,)))
    names = [call.name for call in tool_calls(reply.response)]
    return [f"{names[int(f.path[2])]}, {f.message}" for f in findings if f.rule in _RULES]


def does_not_fit(purpose: str, wrong: Iterable[str]) -> str:
    """The message for a reply that does not fit its request: what is wrong, and what to do.

    Args:
        purpose: what the reply is for, such as ``scripted for …``.
    """
    lines = [
        f"The reply {purpose} does not fit the request:",
        *(f"  {problem}" for problem in wrong),
        "Change the reply. If the test is about such a reply, add unchecked=True to the Reply.",
    ]
    return "\n".join(lines)
