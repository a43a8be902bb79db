"""Tool calls that an agent's executor runs, checked against what the tools declare."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

from workbench.core.fixtures.rules import schema
from workbench.core.fixtures.rules.wording import did_you_mean, listed, near
from workbench.core.json.text import read_json
from workbench.core.requests.view import Tool

ERROR: Final = "ERROR:"

Executor = Callable[[str, dict[str, Any]], str | Awaitable[str]]

_logger = logging.getLogger("workbench.testing")


def run(name: str, given: Any, tools: list[Tool], executor: Executor) -> str | Awaitable[str]:
    """Have ``executor`` run one call, after its input was checked; returns what the executor
    returns, or a text that begins with ``ERROR:`` for a call that is not possible, which is not
    run.
    """
    wrong = _problem(name, given, tools)
    return f"{ERROR} {wrong}" if wrong else executor(name, copy.deepcopy(given))


def record(name: str, given: Any, result: Any) -> dict[str, Any]:
    """``{"name", "input", "result"}`` of a call that ran; an ``ERROR:`` is logged."""
    if is_error(result):
        _logger.warning("%s: %s", name, result)
    return {"name": name, "input": given, "result": result}


def is_error(result: object) -> bool:
    return isinstance(result, str) and result.lstrip().startswith(ERROR)


def _problem(name: str, given: Any, tools: list[Tool]) -> str:
    """Why a call is not possible; "" if it is."""
    by_name = {tool.name: tool for tool in tools}
    if tools and name not in by_name:
        guess = did_you_mean(near(name, by_name))
        return f"unknown tool {name}; offered are {listed(by_name)}{guess}"
    if not isinstance(given, dict):
        return f"the input of {name} is not a JSON object: {given!r}"
    parameters = by_name[name].parameters if tools else None
    if parameters is None:
        return ""
    verdict = schema.examine(parameters, read_json(json.dumps(given)), name)
    return "; ".join(violation.message for violation in verdict.violations)


def offered(tools: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Tools in the form of a chat completion request, from that form or from Anthropic's
    (``name``, ``input_schema``).
    """
    found = []
    for tool in tools or ():
        if "function" in tool:
            found.append(dict(tool))
            continue
        function = {"name": tool.get("name"), "description": tool.get("description", "")}
        parameters = tool.get("input_schema", tool.get("parameters"))
        if parameters is not None:
            function["parameters"] = parameters
        found.append({"type": "function", "function": function})
    return found
