"""Scripted tool calls held against the request that they answer, by the rules for fixtures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from workbench.core.apis.chat.request import Payload

# Arguments that are no JSON are scripted on purpose: only a string can hold them.
_RULES: Final = ("tool-not-offered", "arguments-not-object", "arguments-schema")


def problems(response: Mapping[str, Any], payload: Payload) -> list[str]:
    """Why no model could make the tool calls of ``response`` in reply to ``payload``: each with
    the tool, the place in its arguments and what its schema wants.
    """
    if not response.get("tool_calls"):
        return []
    from workbench.core.fixtures import rules

    names = [call["function"]["name"] for call in response["tool_calls"]]
    findings = rules.check(json.dumps({"response": response}), rules.Context(requests=(payload,)))
    return [
        f"{names[int(finding.path[2])]}, {finding.message}"
        for finding in findings
        if finding.rule in _RULES
    ]
