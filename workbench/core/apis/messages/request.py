"""Convert a request of the Messages API to the equivalent chat request.

Requests in logs may have any shape, so a value of a wrong type counts as absent. Values with one
form in chat and several here are left to ``canonical_form``.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Final
from urllib.parse import quote

from workbench.core.apis.api import GET, POST, PlainPath, TokenCount, UnsupportedPath
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.apis.vertex import PARENT, parent_in, path_of
from workbench.core.json.values import mapping, mappings, string
from workbench.core.requests.messages import chat_call, data_url
from workbench.core.requests.view import Payload, RequestView
from workbench.core.text.inert import type_name

NAME: Final = "messages"
_STREAMED: Final = "invoke-with-response-stream"
ROUTE: Final = "/v1/messages"
DEMANDS: Final = frozenset(
    {
        *(
            "api",
            "platform",
            PARENT,
            "model",
            "tools",
            "tool_choice",
            "output_config",
            "output_format",
        ),
        "stream",
    }
)
TOKEN_COUNT: Final = TokenCount(
    re.compile(r"/messages/count_tokens$|/publishers/anthropic/models/count-tokens:rawPredict$"),
    "/messages",
    "input_tokens",
)
PLAIN_PATHS: Final = (
    # Of Claude Code.
    PlainPath("telemetry", re.compile(r"/api/(?:event_logging|claude_code)(?:/.*)?$"), GET + POST),
)
UNSUPPORTED_PATHS: Final = (
    UnsupportedPath(
        r"^(?!.*/threads/).*/messages/",
        "of the Messages API, this server supports only /v1/messages and its count_tokens",
    ),
)

API: Final = "api"
EARLIER: Final = "earlier"
"""Of a request that continues a thread: the chat messages of the thread so far."""
EARLIER_TOOLS: Final = "earlier_tools"
"""Of such a request: the tools of the thread, as chat has them."""

PLATFORM: Final = "platform"
"""Of a request that came by a path of Bedrock: ``BEDROCK``."""
BEDROCK: Final = "bedrock"

# A key that Vertex AI and Bedrock require in bodies and the API does not have.
_VERSION: Final = "anthropic_version"
# A block that Claude Code puts first among the instructions; it differs from request to request.
_BILLING: Final = "x-anthropic-billing-header:"
# Tools that the client runs and the API describes: their types end in a date.
_CLIENT_TOOLS: Final = ("bash_", "text_editor_", "memory_", "computer_", "browser_")
_CHOICES: Final = {"auto": "auto", "any": "required", "none": "none"}
_ELSEWHERE: Final = "which runs on the provider's servers"


def received(body: Payload, path: re.Match[str], query: str) -> dict[str, Any]:  # noqa: ARG001
    """The body, with the API's name, and with the model that other paths have."""
    if path["bedrock"] is not None:
        stream = {"stream": True} if path["method"] == _STREAMED else {}
        return {**body, "model": path["bedrock"], **stream, PLATFORM: BEDROCK, API: NAME}
    if path["vertex"] is None:
        return {**body, API: NAME}
    parent = parent_in(path, "anthropic")
    return {**body, "model": path["vertex"], PARENT: parent, API: NAME}


def target(payload: Payload) -> tuple[str, dict[str, Any]]:
    """The opposite of ``received``: the path of the URL, and the body."""
    added = {API, EARLIER, EARLIER_TOOLS, PLATFORM, PARENT}
    path = ROUTE
    if model_path := path_of(payload):
        path = (
            f"{model_path}:{'streamRawPredict' if payload.get('stream') is True else 'rawPredict'}"
        )
        added |= {"model"}
    elif payload.get(PLATFORM) == BEDROCK:
        model = quote(string(payload.get("model")), safe="", errors="surrogatepass")
        path = f"/model/{model}/{_STREAMED if payload.get('stream') is True else 'invoke'}"
        added |= {"model", "stream"}
    return path, {key: value for key, value in payload.items() if key not in added}


def as_chat(payload: Payload) -> dict[str, Any]:
    """The equivalent chat request."""
    chat = {
        "model": payload.get("model"),
        "messages": _messages(payload),
        "tool_choice": _tool_choice(payload.get("tool_choice")),
        "tools": [_function(tool) for tool in _client_tools(payload) if string(tool.get("name"))]
        or mappings(payload.get(EARLIER_TOOLS)),
        "response_format": _response_format(payload),
        "stream": payload.get("stream") is True,
    }
    return {key: value for key, value in chat.items() if value or key == "messages"}


def _messages(payload: Payload) -> list[dict[str, Any]]:
    messages = [*_instructions(payload.get("system")), *mappings(payload.get(EARLIER))]
    for message in mappings(payload.get("messages")):
        role, content = string(message.get("role")) or "user", message.get("content")
        if role == "assistant":
            messages.append(_assistant_message(content))
        else:
            messages += _other_messages(role, content)
    return messages


def _instructions(system: object) -> Iterator[dict[str, Any]]:
    parts = _parts(system)
    content = string(system) or [
        part for part in parts if not string(part.get("text")).startswith(_BILLING)
    ]
    if content:
        yield {"role": "system", "content": content}


def _assistant_message(content: object) -> dict[str, Any]:
    """The text and the calls of a message by the model; its reasoning does not count."""
    if isinstance(content, str):
        return {"role": "assistant", "content": content}
    blocks = mappings(content)
    texts = [block for block in _parts(blocks) if block.get("type") == "text"]
    calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
    message: dict[str, Any] = {"role": "assistant", "content": texts}
    return {**message, "tool_calls": calls} if calls else message


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    # Arguments are an object here, which the canonical form writes as text.
    return chat_call(string(block.get("id")), string(block.get("name")), block.get("input"))


def _other_messages(role: str, content: object) -> Iterator[dict[str, Any]]:
    """A message of another role: each tool result by itself, and each run of blocks between."""
    if not isinstance(content, list):
        yield {"role": role, "content": string(content)}
        return
    blocks = mappings(content)
    for is_result, run in groupby(blocks, lambda block: block.get("type") == "tool_result"):
        if is_result:
            yield from map(_result, run)
        else:
            yield {"role": role, "content": _parts([*run])}
    if not blocks:
        yield {"role": role, "content": ""}


def _result(block: Mapping[str, Any]) -> dict[str, Any]:
    value = block.get("content")
    content = value if isinstance(value, str) else _parts(value)
    return {"role": "tool", "tool_call_id": string(block.get("tool_use_id")), "content": content}


# Content blocks


def _parts(blocks: object) -> list[dict[str, Any]]:
    """The parts with the content of ``blocks``, in order. Blocks inside a block replace it; a block
    that chat does not have stays as it is.
    """
    return [_part(block) for block in _unpacked(blocks)]


def _unpacked(blocks: object) -> Iterator[dict[str, Any]]:
    for block in mappings(blocks):
        source = mapping(block.get("source"))
        if block.get("type") == "search_result":
            yield from mappings(block.get("content"))
        elif block.get("type") == "document" and source.get("type") == "content":
            inner = source.get("content")
            yield from (
                [{"type": "text", "text": inner}] if isinstance(inner, str) else mappings(inner)
            )
        else:
            yield block


def _part(block: Mapping[str, Any]) -> dict[str, Any]:
    match block.get("type"):
        case "text":
            return {"type": "text", "text": string(block.get("text"))}
        case "image":
            return {"type": "image_url", "image_url": {"url": _url(mapping(block.get("source")))}}
        case "document":
            return {"type": "file", "file": _file(block, mapping(block.get("source")))}
    return dict(block)


def _url(source: Mapping[str, Any]) -> str:
    match source.get("type"):
        case "base64":
            return data_url(string(source.get("media_type")), string(source.get("data")))
        case "file":
            return f"file:{string(source.get('file_id'))}"
    return string(source.get("url"))


def _file(block: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, str]:
    title = string(block.get("title"))
    file = {"filename": title} if title else {}
    match source.get("type"):
        case "base64":
            return file | {"file_data": _url(source)}
        case "text":
            data = string(source.get("data")).encode("utf-8", "surrogatepass")
            return file | {
                "file_data": data_url("text/plain", base64.b64encode(data).decode("ascii"))
            }
        case "file":
            return file | {"file_id": string(source.get("file_id"))}
    return file | {"file_url": string(source.get("url"))}


# Tools and output format


def _client_tools(payload: Payload) -> list[dict[str, Any]]:
    """The tools that the client runs, not the API."""
    return [tool for tool in mappings(payload.get("tools")) if not _is_builtin(tool)]


def _is_builtin(tool: Mapping[str, Any]) -> bool:
    kind = tool.get("type")
    return kind not in (None, "custom") and not string(kind).startswith(_CLIENT_TOOLS)


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    named = {
        "name": tool.get("name"),
        "description": tool.get("description"),
        "parameters": tool.get("input_schema"),
        "strict": tool.get("strict"),
    }
    function = {key: value for key, value in named.items() if value is not None}
    return {"type": "function", "function": function}


def _tool_choice(value: object) -> str | dict[str, Any] | None:
    choice = mapping(value)
    if choice.get("type") == "tool":
        return {"type": "function", "function": {"name": string(choice.get("name"))}}
    return _CHOICES.get(string(choice.get("type")))


def _response_format(payload: Payload) -> dict[str, Any] | None:
    config = mapping(payload.get("output_config"))
    schema = mapping(config.get("format") or payload.get("output_format")).get("schema")
    if not isinstance(schema, dict):
        return None
    return {"type": "json_schema", "json_schema": {"name": "output", "schema": schema}}


# Unsupported features


def unsupported(payload: Payload) -> str | None:
    """Why no fixture can answer the request, in words that follow its path and a colon."""
    if payload.get(PLATFORM) == BEDROCK and _VERSION not in payload:
        return (
            f"its body has no {_VERSION}, so it is not for a model of Anthropic; with invoke, this "
            "server supports only their models"
        )
    if payload.get("mcp_servers"):
        return f"mcp_servers names an MCP connector, {_ELSEWHERE}"
    if payload.get("container"):
        return f"container names a code execution container, {_ELSEWHERE}"
    if tool := _builtin_tool(payload):
        return f"tools has the built-in tool {tool}, {_ELSEWHERE}"
    if block := _builtin_block(payload):
        return f"messages has a block {block} of a built-in tool, {_ELSEWHERE}"
    return None


def _builtin_tool(payload: Payload) -> str | None:
    """A built-in tool that the request cannot do without: it is the choice, or all are such."""
    builtin = [tool for tool in mappings(payload.get("tools")) if _is_builtin(tool)]
    choice = mapping(payload.get("tool_choice"))
    if choice.get("type") == "tool":
        chosen = [tool for tool in builtin if tool.get("name") == choice.get("name")]
        return type_name(chosen[0].get("type")) if chosen else None
    return type_name(builtin[0].get("type")) if builtin and not _client_tools(payload) else None


def _builtin_block(payload: Payload) -> str | None:
    """A block by which a built-in tool took part in the conversation."""
    for message in mappings(payload.get("messages")):
        for block in mappings(message.get("content")):
            kind = string(block.get("type"))
            if kind == "container_upload" or kind.endswith(("_tool_use", "_tool_result")):
                return type_name(kind)
    return None


def ignored(request: RequestView) -> list[IgnoredOption]:  # noqa: ARG001
    """The options that replies may not honour."""
    return []


# Threads


def earlier_id(payload: Payload) -> str | None:
    """The id of the message whose thread the request continues, if it does."""
    thread = mapping(payload.get("thread"))
    return string(thread.get("previous_message_id")) if thread.get("type") == "continue" else None


def continuing(payload: Payload, before: RequestView, reply: Payload) -> dict[str, Any]:
    """A request with the thread that it continues, so that it can be read by itself: the request
    before, and the chat message that answered it.
    """
    tools = before.demands.get("tools")
    return {**payload, EARLIER: [*before.raw_messages, dict(reply)], EARLIER_TOOLS: tools}
