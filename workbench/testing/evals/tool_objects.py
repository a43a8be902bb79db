"""The functions inside the tool objects of agent frameworks.

A framework keeps such an object, so that its function is what has to be replaced.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

# LangChain has one or both.
_FUNCTIONS: Final = ("func", "coroutine")
# pydantic-ai calls the function that its schema has.
_SCHEMA, _OF_SCHEMA = "function_schema", "function"
# openai-agents.
_TAKES_JSON: Final = "on_invoke_tool"


class ToolFunction(NamedTuple):
    """A function that a tool object runs, as an attribute of ``holder``.

    Attributes:
        takes_json: it gets the arguments of the tool as one JSON text.
    """

    holder: Any
    attribute: str
    takes_json: bool = False

    @property
    def function(self) -> Any:
        return getattr(self.holder, self.attribute)


def functions_of(found: Any) -> list[ToolFunction]:
    """The functions of a tool object; [] if ``found`` is none."""
    fields = getattr(found, "__dict__", {})
    if _SCHEMA in fields:
        return [ToolFunction(fields[_SCHEMA], _OF_SCHEMA)]
    if _TAKES_JSON in fields:
        return [ToolFunction(found, _TAKES_JSON, takes_json=True)]
    return [ToolFunction(found, name) for name in _FUNCTIONS if callable(fields.get(name))]
