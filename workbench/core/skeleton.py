"""The answer a request asks for, before anything is written into it.

Skeletons are made from the JSON Schemas of requests, which may have any shape: what cannot be
followed is left empty, and the work is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from workbench.core import jsonspan, requests
from workbench.core.requests import Payload, Tool

_ID_DIGITS: Final = 8
_DEEPEST: Final = 20
_MOST_VALUES: Final = 1_000


def arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments a tool needs at least: the required ones, each with its default if there is
    one, else the first of the values it may have, else an empty value of its type.
    """
    written = _Writer(schema).write(schema, 0)
    return written if isinstance(written, dict) else {}


def value(schema: Mapping[str, Any]) -> Any:
    """The least that fits ``schema``, as far as can be told."""
    return _Writer(schema).write(schema, 0)


def call_id(digest: str, index: int) -> str:
    """The id of call ``index``: never random, because the next request quotes it and is hashed."""
    return f"call_{digest[:_ID_DIGITS]}" + (f"_{index}" if index else "")


def tool_call(digest: str, index: int, tool: Tool) -> dict[str, Any]:
    """Call ``index`` of the answer to ``digest``, its arguments a skeleton."""
    return {
        "index": index,
        "id": call_id(digest, index),
        "type": "function",
        "function": {"name": tool.name, "arguments": _one_line(arguments(tool.parameters or {}))},
    }


def draft_response(digest: str, payload: Payload) -> dict[str, Any]:
    """The ``response`` to begin with: the call that is demanded, the format that is asked for, or
    an empty text.
    """
    tool = demanded_tool(payload)
    if tool is not None:
        call = tool_call(digest, 0, tool)
        return {"content": "", "tool_calls": [call], "finish_reason": "tool_calls"}
    schema = requests.response_format(payload).schema
    content = "" if schema is None else _one_line(value(schema))
    return {"content": content, "finish_reason": "stop"}


def demanded_tool(payload: Payload) -> Tool | None:
    """The one tool that ``tool_choice`` makes the model call, if there is one."""
    choice, offered = requests.tool_choice(payload), requests.tools(payload)
    if choice.mode == "function":
        named = (tool for tool in offered if tool.name == choice.name)
        return next(named, Tool(choice.name, "", None, strict=False))
    return offered[0] if choice.mode == "required" and len(offered) == 1 else None


def _one_line(value: Any) -> str:
    try:
        return jsonspan.dumps(value)
    except RecursionError:  # a default that is nested as deeply as Python can go
        return "{}"


@dataclass
class _Writer:
    """Writes values for the parts of one schema.

    Attributes:
        root: the whole schema, for references.
        left: how many values may still be written; references can multiply without end.
    """

    root: Mapping[str, Any]
    left: int = _MOST_VALUES

    def write(self, schema: Any, depth: int) -> Any:
        self.left -= 1
        if not isinstance(schema, Mapping) or depth > _DEEPEST or self.left < 0:
            return ""
        if "default" in schema:
            return schema["default"]
        if "const" in schema:
            return schema["const"]
        choices = schema.get("enum")
        if isinstance(choices, list) and choices:
            return choices[0]
        if "$ref" in schema:
            return self.write(self.resolve(schema["$ref"]), depth + 1)
        if not schema.keys() & {"type", "properties"}:
            for key in ("allOf", "anyOf", "oneOf"):
                branches = schema.get(key)
                if isinstance(branches, list) and branches:
                    return self.write(branches[0], depth + 1)
        return self.empty(schema, depth)

    def empty(self, schema: Mapping[str, Any], depth: int) -> Any:
        """An empty value of the schema's type; an object with what it requires."""
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = kind[0] if kind else None
        if kind == "object" or (kind is None and "properties" in schema):
            return self.write_object(schema, depth)
        empty: dict[object, Any] = {
            "array": [],
            "boolean": False,
            "integer": 0,
            "null": None,
            "number": 0,
        }
        return empty.get(kind, "") if isinstance(kind, str) else ""

    def write_object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        required, properties = schema.get("required"), schema.get("properties")
        parts = properties if isinstance(properties, Mapping) else {}
        written: dict[str, Any] = {}
        for key in required if isinstance(required, list) else ():
            if isinstance(key, str) and self.left > 0:
                written[key] = self.write(parts.get(key), depth + 1)
        return written

    def resolve(self, reference: object) -> Any:
        """The part of the schema that a reference within it names, or None."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        part: Any = self.root
        for step in reference[1:].split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(part, list) and key in map(str, range(len(part))):
                part = part[int(key)]
            else:
                part = part.get(key) if isinstance(part, Mapping) else None
        return part
