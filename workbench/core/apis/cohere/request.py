"""Convert a request of Cohere's chat to the equivalent chat request.

Values with one form in chat and several here are left to ``canonical_form``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from workbench.core.apis.api import POST, PlainPath, UnsupportedPath
from workbench.core.apis.cohere import request_v1
from workbench.core.apis.cohere.parts import (
    document_text,
    documents_message,
    response_format,
    text_part,
)
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.json.values import mapping, mappings, string
from workbench.core.requests.messages import chat_call
from workbench.core.requests.view import Payload, RequestView
from workbench.core.text.inert import type_name

NAME: Final = "cohere"
ROUTE: Final = "/v2/chat"
DEMANDS: Final = frozenset(
    {
        *("api", "version", "model", "tools", "strict_tools", "tool_choice", "response_format"),
        "stream",
    }
)
TOKEN_COUNT: Final = None
PLAIN_PATHS: Final = (PlainPath("embeddings", re.compile(r"/v(?P<version>[12])/embed$"), POST),)
UNSUPPORTED_PATHS: Final = (
    UnsupportedPath(r"/v[12]/rerank$", "this server does not support reranking"),
    UnsupportedPath(
        r"/v[12]/(?:check-api-key|classify|connectors|datasets|(?:de)?tokenize|embed-jobs"
        r"|finetuning|generate|parse|summarize)(?:/|$)",
        "of Cohere's API, this server supports only chat, embed and models",
    ),
)

_API: Final = "api"
_VERSION: Final = "version"
_ROUTE_V1: Final = "/v1/chat"
_CHOICES: Final = {"REQUIRED": "required", "NONE": "none"}


def received(body: Payload, path: re.Match[str], query: str) -> dict[str, Any]:  # noqa: ARG001
    """The body, with the API's name, and with its version if that is 1."""
    of_url = {_API: NAME, _VERSION: 1} if path[_VERSION] == "1" else {_API: NAME}
    return {**_body(body), **of_url}


def target(payload: Payload) -> tuple[str, dict[str, Any]]:
    """The opposite of ``received``: the path of the URL, and the body."""
    path = _ROUTE_V1 if is_version_1(payload) else ROUTE
    return path, _body(payload)


def _body(payload: Payload) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key not in (_API, _VERSION)}


def is_version_1(payload: Payload) -> bool:
    """True if a request is for version 1, which has one message and a history."""
    return payload.get(_VERSION) == 1


def as_chat(payload: Payload) -> dict[str, Any]:
    """The equivalent chat request."""
    if is_version_1(payload):
        return request_v1.as_chat(payload)
    chat = {
        "model": payload.get("model"),
        "messages": [
            *documents_message(payload.get("documents")),
            *map(_message, mappings(payload.get("messages"))),
        ],
        "tool_choice": _CHOICES.get(string(payload.get("tool_choice"))),
        "tools": list(map(_tool, mappings(payload.get("tools")))),
        "response_format": response_format(mapping(payload.get("response_format"))),
        "stream": payload.get("stream") is True,
    }
    return {key: value for key, value in chat.items() if value or key == "messages"}


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    role, content = string(message.get("role")) or "user", _content(message.get("content"))
    if role == "tool":
        call_id = string(message.get("tool_call_id"))
        return {"role": role, "tool_call_id": call_id, "content": content or ""}
    if role != "assistant":
        return {"role": role, "content": content or ""}
    plan = string(message.get("tool_plan"))
    if plan:  # the model's text beside its calls
        content = [text_part(plan), *(content or [])]
    calls = list(map(_call, mappings(message.get("tool_calls"))))
    answer = {"role": role, "content": content}
    return {**answer, "tool_calls": calls} if calls else answer


def _content(content: object) -> list[dict[str, Any]] | None:
    """The parts of a content; None where there is none."""
    if content is None:
        return None
    if isinstance(content, str):
        return [text_part(content)]
    return list(map(_part, [content] if isinstance(content, dict) else mappings(content)))


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") == "document":
        return text_part(document_text(part.get("document")))
    return part


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = mapping(call.get("function"))
    return chat_call(string(call.get("id")), function.get("name"), function.get("arguments"))


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": mapping(tool.get("function"))}


def unsupported(payload: Payload) -> str | None:
    """Why no fixture can answer the request, in words that follow its path and a colon."""
    if is_version_1(payload):
        return request_v1.unsupported(payload)
    kinds = (tool.get("type") for tool in mappings(payload.get("tools")))
    if other := [kind for kind in kinds if kind not in (None, "function")]:
        return f"this server does not support tools of type {type_name(other[0])}"
    return None


def ignored(request: RequestView) -> list[IgnoredOption]:
    """The options that replies may not honour."""
    options: list[IgnoredOption] = []
    mode = mapping(request.payload.get("citation_options")).get("mode")
    has_none = mode == "OFF" or request.payload.get("citation_quality") == "off"
    if request.payload.get("documents") and not has_none:
        options.append("citations")
    if request.payload.get("logprobs"):
        options.append("logprobs")
    return options
