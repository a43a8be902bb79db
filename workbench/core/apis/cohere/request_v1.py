"""Convert a request of Cohere's chat, version 1, to the equivalent chat request.

Calls have no ids in version 1, so they are named by their places in the conversation. A value of a
wrong type counts as absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.apis.cohere.parts import (
    document_text,
    documents_message,
    response_format,
    text_part,
)
from workbench.core.json.values import compact, mapping, mappings, string
from workbench.core.requests.messages import chat_call
from workbench.core.requests.view import Payload

Message = dict[str, Any]

# Parameters have Python's types.
_TYPES: Final = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}


def as_chat(payload: Payload) -> dict[str, Any]:
    """The equivalent chat request."""
    chat = {
        "model": payload.get("model"),
        "messages": list(_messages(payload)),
        "tools": list(map(_tool, mappings(payload.get("tools")))),
        "response_format": response_format(mapping(payload.get("response_format"))),
        "stream": payload.get("stream") is True,
    }
    return {key: value for key, value in chat.items() if value or key == "messages"}


def _messages(payload: Payload) -> Iterator[Message]:
    calls = _Calls()
    documents = [{"data": document} for document in mappings(payload.get("documents"))]
    yield from documents_message(documents)
    if preamble := string(payload.get("preamble")):
        yield {"role": "system", "content": preamble}
    for entry in mappings(payload.get("chat_history")):
        yield from _history(entry, calls)
    message, results = string(payload.get("message")), mappings(payload.get("tool_results"))
    if message or not results:
        yield {"role": "user", "content": message}
    if results and not calls.are_open:  # the calls are with their results alone
        yield _answer("", [mapping(result.get("call")) for result in results], calls)
    yield from _results(results, calls)


def _history(entry: Mapping[str, Any], calls: _Calls) -> Iterator[Message]:
    role, text = string(entry.get("role")).upper(), string(entry.get("message"))
    if role == "TOOL":
        yield from _results(mappings(entry.get("tool_results")), calls)
    elif role == "CHATBOT":
        yield _answer(text, mappings(entry.get("tool_calls")), calls)
    else:
        yield {"role": "system" if role == "SYSTEM" else "user", "content": text}


class _Calls:
    """The calls of a conversation, and which have no result yet."""

    def __init__(self) -> None:
        self._count = 0
        # By their ids here, in order: the name of the function, and the arguments as text.
        self._open: dict[str, tuple[str, str]] = {}

    @property
    def are_open(self) -> bool:
        """True if a call has no result yet."""
        return bool(self._open)

    def named(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """A call of chat, with ``call_<n>`` as its id for the n-th of the conversation."""
        call_id = f"call_{self._count}"
        self._count += 1
        self._open[call_id] = _called(call)
        return chat_call(call_id, *self._open[call_id])

    def answered_by(self, call: Mapping[str, Any]) -> str:
        """The id of the open call that a result repeats: the first one with its arguments, else of
        its function; else the name of that.
        """
        name, arguments = _called(call)
        same = (key for key, value in self._open.items() if value == (name, arguments))
        of_function = (key for key, value in self._open.items() if value[0] == name)
        call_id = next(same, None) or next(of_function, name)
        self._open.pop(call_id, None)
        return call_id


def _called(call: Mapping[str, Any]) -> tuple[str, str]:
    return string(call.get("name")), compact(mapping(call.get("parameters")))


def _answer(text: str, called: list[dict[str, Any]], calls: _Calls) -> Message:
    if not called:
        return {"role": "assistant", "content": text}
    tool_calls = list(map(calls.named, called))
    return {"role": "assistant", "content": text or None, "tool_calls": tool_calls}


def _results(results: list[dict[str, Any]], calls: _Calls) -> Iterator[Message]:
    for result in results:
        outputs = [document_text({"data": data}) for data in mappings(result.get("outputs"))]
        yield {
            "role": "tool",
            "tool_call_id": calls.answered_by(mapping(result.get("call"))),
            "content": list(map(text_part, outputs)),
        }


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {
        name: mapping(value) for name, value in mapping(tool.get("parameter_definitions")).items()
    }
    schema = {
        "type": "object",
        "properties": {name: _schema(parameter) for name, parameter in parameters.items()},
        "required": [name for name, value in parameters.items() if value.get("required") is True],
    }
    named = {"name": tool.get("name"), "description": tool.get("description")}
    return {"type": "function", "function": {**named, "parameters": schema}}


def _schema(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a parameter; elements of a list or an object may have any type."""
    written = string(parameter.get("type")).partition("[")[0].lower()
    kind = _TYPES.get(written, written)
    schema: dict[str, Any] = {"type": kind} if kind in _TYPES.values() else {}
    if description := string(parameter.get("description")):
        schema["description"] = description
    return schema


def unsupported(payload: Payload) -> str | None:
    """Why no fixture can answer the request, in words that follow its path and a colon."""
    for key, what in (
        ("connectors", "searches that the provider makes"),
        ("conversation_id", "conversations that the provider keeps"),
        ("search_queries_only", "replies of search queries"),
    ):
        if payload.get(key):
            return f"{key} asks for {what}, which this server does not support"
    return None
