"""Convert a request of the Responses API to the equivalent chat request.

Requests in logs may have any shape, so a value of a wrong type counts as absent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from workbench.core.apis.api import GET, PlainPath, UnsupportedPath
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.json.values import mapping, mappings, string
from workbench.core.requests.messages import chat_call, custom_call
from workbench.core.requests.view import Payload, RequestView
from workbench.core.text.inert import type_name

NAME: Final = "responses"
ROUTE: Final = "/v1/responses"
DEMANDS: Final = frozenset({"api", "model", "tools", "tool_choice", "text", "stream"})
TOKEN_COUNT: Final = None
UNSUPPORTED_PATHS: Final = (
    UnsupportedPath(r"/responses/", "this server does not support this part of the Responses API"),
)
PLAIN_PATHS: Final = (PlainPath("response", re.compile(r"/responses/(?P<name>[^/]+)$"), GET),)

ENCRYPTED: Final = "reasoning.encrypted_content"
"""What ``include`` asks for that replies have: many clients always ask for it."""
EARLIER: Final = "earlier"
"""The key under which a request has the chat messages of the conversation it continues."""

_ROLES: Final = ("user", "system", "developer", "assistant")
_CALLS: Final = ("function_call", "custom_tool_call")
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
# Items that the model writes for itself.
_NOTES: Final = ("reasoning", "compaction")
# Items with what a request else has beside its input.
_MORE_TOOLS: Final = "additional_tools"
_OPTIONS: Final = (_MORE_TOOLS, "configuration_update")
_REFERENCE: Final = "item_reference"
_OWN_TOOLS: Final = ("function", "custom")
_FORMAT_KEYS: Final = ("name", "description", "schema", "strict")
_FILE_KEYS: Final = ("filename", "file_data", "file_id", "file_url")


def received(body: Payload, path: re.Match[str], query: str) -> Payload:  # noqa: ARG001
    """The body, with the API's name."""
    return {**body, "api": NAME}


def target(payload: Payload) -> tuple[str, Payload]:
    """The opposite of ``received``: the path of the URL, and the body."""
    return ROUTE, {k: v for k, v in payload.items() if k not in ("api", EARLIER)}


def as_chat(payload: Payload) -> dict[str, Any]:
    """The equivalent chat request, not yet in canonical form."""
    request = {
        "model": payload.get("model"),
        "messages": messages(payload),
        "tool_choice": _tool_choice(payload.get("tool_choice")),
        "tools": [_named(tool) for tool in _own_tools(payload)],
        "response_format": _response_format(mapping(payload.get("text")).get("format")),
        "stream": payload.get("stream") is True,
    }
    return {key: value for key, value in request.items() if value or key == "messages"}


def messages(payload: Payload) -> list[dict[str, Any]]:
    """Its messages: the instructions, the conversation that it continues, and its own input."""
    instructions = string(payload.get("instructions"))
    system = [{"role": "system", "content": instructions}] if instructions else []
    return [*system, *mappings(payload.get(EARLIER)), *_messages(input_items(payload))]


def input_items(payload: Payload) -> list[dict[str, Any]]:
    """The items of the input; a string is a message of the user."""
    value = payload.get("input")
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    return mappings(value)


def kind(item: Mapping[str, Any]) -> str:
    """The type of an input item, which need not be given for messages and references."""
    type_ = string(item.get("type"))
    return type_ or ("message" if "role" in item else _REFERENCE)


# Messages


def _messages(items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for item in items:
        match kind(item):
            case "message":
                messages.append(_message(item))
            case "function_call" | "custom_tool_call":
                # A call belongs to the message of the assistant before it.
                if not messages or messages[-1]["role"] != "assistant":
                    messages.append({"role": "assistant", "content": None})
                messages[-1].setdefault("tool_calls", []).append(call(item))
            case "function_call_output" | "custom_tool_call_output":
                content = _content(item.get("output"))
                call_id = string(item.get("call_id"))
                messages.append({"role": "tool", "tool_call_id": call_id, "content": content})
    return messages


def _message(item: Mapping[str, Any]) -> dict[str, Any]:
    role = item.get("role")
    return {"role": role if role in _ROLES else "user", "content": _content(item.get("content"))}


def call(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item that is a call, as chat has it."""
    name = string(item.get("name"))
    call_id = string(item.get("call_id"))
    if kind(item) == "custom_tool_call":
        return custom_call(call_id, name, string(item.get("input")))
    return chat_call(call_id, name, string(item.get("arguments")))


def _content(value: object) -> str | list[dict[str, Any]]:
    """A string, or text and other parts."""
    return value if isinstance(value, str) else [_part(part) for part in mappings(value)]


def _part(part: dict[str, Any]) -> dict[str, Any]:
    """A part in chat's format; a part that chat does not have stays unchanged."""
    match part.get("type"):
        case "input_text" | "output_text":
            return {"type": "text", "text": string(part.get("text"))}
        case "input_image":
            url = string(part.get("image_url")) or f"file:{string(part.get('file_id'))}"
            return {"type": "image_url", "image_url": {"url": url, "detail": part.get("detail")}}
        case "input_file":
            file = {key: part[key] for key in _FILE_KEYS if part.get(key) is not None}
            return {"type": "file", "file": file}
    return part


# Tools and output format


def all_tools(payload: Payload) -> list[dict[str, Any]]:
    """The tools and namespaces offered: beside the input, and in items of it."""
    items = input_items(payload)
    more = [item.get("tools") for item in items if kind(item) == _MORE_TOOLS]
    return [tool for tools in (payload.get("tools"), *more) for tool in mappings(tools)]


def _tools(payload: Payload) -> Iterator[dict[str, Any]]:
    """The offered tools, including each tool of a namespace."""
    for tool in all_tools(payload):
        if tool.get("type") == "namespace":
            yield from mappings(tool.get("tools"))
        else:
            yield tool


def _own_tools(payload: Payload) -> list[dict[str, Any]]:
    """The tools that the client runs, not the API."""
    return [tool for tool in _tools(payload) if tool.get("type") in _OWN_TOOLS]


def _named(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool, or the choice of one, as chat has it: below its type."""
    type_ = str(tool.get("type"))
    return {"type": type_, type_: {k: v for k, v in tool.items() if k != "type" and v is not None}}


def _tool_choice(value: object) -> str | dict[str, Any] | None:
    if isinstance(value, str):
        return value
    choice = mapping(value)
    if choice.get("type") in _OWN_TOOLS:
        return _named(choice)
    if choice.get("type") == "allowed_tools":
        named = [_named(tool) for tool in mappings(choice.get("tools"))]
        allowed = {"mode": choice.get("mode"), "tools": named}
        return {"type": "allowed_tools", "allowed_tools": allowed}
    return None


def _response_format(value: object) -> dict[str, Any] | None:
    output = mapping(value)
    if output.get("type") == "json_schema":
        schema = {key: output[key] for key in _FORMAT_KEYS if output.get(key) is not None}
        return {"type": "json_schema", "json_schema": schema}
    return {"type": "json_object"} if output.get("type") == "json_object" else None


# Unsupported features


def unsupported(payload: Payload) -> str | None:
    """Why no fixture can answer the request, in words that follow its path and a colon."""
    for key, feature in (
        ("background", "responses in the background"),
        ("prompt", "stored prompts"),
        ("conversation", "the Conversations API"),
    ):
        if payload.get(key):
            return f"this server does not support {feature}"
    builtin = _builtin_tool(payload) or _builtin_item(payload)
    return f"this server does not support the built-in tool {builtin}" if builtin else None


def _builtin_tool(payload: Payload) -> str | None:
    """A tool of the API itself that the request cannot do without: its choice, or the only one."""
    chosen = mapping(payload.get("tool_choice")).get("type")
    if chosen and chosen not in (*_OWN_TOOLS, "allowed_tools"):
        return type_name(chosen)
    tools = all_tools(payload)
    return type_name(tools[0].get("type")) if tools and not _own_tools(payload) else None


def _builtin_item(payload: Payload) -> str | None:
    """A tool of the API itself that took part in the conversation."""
    readable = ("message", _REFERENCE, *_CALLS, *_OUTPUTS, *_NOTES, *_OPTIONS)
    kinds = map(kind, input_items(payload))
    other = next((name for name in kinds if name not in readable), None)
    return None if other is None else type_name(other.removesuffix("_output").removesuffix("_call"))


def ignored(request: RequestView) -> list[IgnoredOption]:
    """The options that replies may not honour."""
    include = request.payload.get("include")
    others = {*map(str, include)} - {ENCRYPTED} if isinstance(include, list) else ()
    options: list[IgnoredOption] = ["include"] if others else []
    if request.payload.get("top_logprobs"):
        options.append("logprobs")
    return options


# References to earlier requests


def earlier_id(payload: Payload) -> str | None:
    """The id of the response whose conversation the request continues, if it does."""
    return string(payload.get("previous_response_id")) or None


def referred_ids(payload: Payload) -> list[str]:
    """The ids of earlier items that the input has in place of the items. Those of
    reasoning do not count.
    """
    ids = (string(item.get("id")) for item in input_items(payload) if kind(item) == _REFERENCE)
    return [item_id for item_id in ids if not item_id.startswith("rs_")]


def with_items(payload: Payload, items: Mapping[str, Any]) -> dict[str, Any]:
    """``payload`` with items, by their ids, in place of the references to them."""
    value = payload.get("input")
    if not isinstance(value, list):
        return dict(payload)
    return {
        **payload,
        "input": [items.get(string(mapping(item).get("id")), item) for item in value],
    }
