"""Write an answer as a response of the Responses API: its items, and the object around them.

Based on recordings of 2025 and 2026. Values that change with every request are made from the
digest: ids, and the ``encrypted_content`` of reasoning. The id retrieves the response later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal

from workbench.core.apis.openai_errors import error_kind
from workbench.core.apis.responses.request import ENCRYPTED, all_tools
from workbench.core.json.values import mapping, sequence
from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply, NeutralReply

Status = Literal["in_progress", "completed", "incomplete", "failed"]

_INCOMPLETE: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}
# The values that a response repeats where the request does not set them.
_DEFAULTS: Final[dict[str, Any]] = {
    "background": False,
    "frequency_penalty": 0.0,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "presence_penalty": 0.0,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "prompt_cache_retention": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}, "verbosity": "medium"},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
_FUNCTION_DEFAULTS: Final = {"description": None, "parameters": None, "strict": True}
_SCHEMA_DEFAULTS: Final = {"description": None, "strict": False}


def finished(answer: Answer, created: int, output: list[dict[str, Any]]) -> dict[str, Any]:
    """The response object with all of its items."""
    reason = _INCOMPLETE.get(str(answer.reply.end_reason))
    body = response(answer, created, "incomplete" if reason else "completed")
    body["completed_at"] = created
    body["incomplete_details"] = {"reason": reason} if reason else None
    body["output"] = output
    body["service_tier"] = "default"
    body["usage"] = _usage(answer)
    return body


def failed(error: ErrorReply, answer: Answer, created: int) -> dict[str, Any]:
    """The response object of an error."""
    body = response(answer, created, "failed")
    kind, code = error_kind(error)
    body["error"] = {"code": code or kind, "message": error.message}
    return body


def response(answer: Answer, created: int, status: Status) -> dict[str, Any]:
    """The response object as it begins: what it repeats of the request, and no items."""
    payload = answer.request.payload
    repeated = {k: v if payload.get(k) is None else payload[k] for k, v in _DEFAULTS.items()}
    for key in ("reasoning", "text"):
        repeated[key] = {**_DEFAULTS[key], **mapping(payload.get(key))}
    repeated["text"]["format"] = _completed(
        repeated["text"]["format"], "json_schema", _SCHEMA_DEFAULTS
    )
    tools = sequence(payload.get("tools"))
    repeated["tools"] = [_completed(tool, "function", _FUNCTION_DEFAULTS) for tool in tools]
    return {
        "id": f"resp_{answer.digest}",
        "object": "response",
        "created_at": created,
        "status": status,
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        "model": answer.request.echoed_model,
        "output": [],
        "service_tier": "auto",
        "usage": None,
        **repeated,
    }


def _completed(value: Any, type_: str, defaults: Mapping[str, Any]) -> Any:
    """An object with the defaults of its type; any other value as it is."""
    return {**defaults, **value} if mapping(value).get("type") == type_ else value


def _usage(answer: Answer) -> dict[str, Any]:
    reply = answer.reply
    return {
        "input_tokens": answer.prompt_tokens,
        "input_tokens_details": {
            "cache_write_tokens": reply.usage_detail("prompt_tokens_details", "cache_write_tokens"),
            "cached_tokens": reply.usage_detail("prompt_tokens_details", "cached_tokens"),
        },
        "output_tokens": answer.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": _reasoning_tokens(reply)},
        "total_tokens": answer.total_tokens,
    }


def _reasoning_tokens(reply: NeutralReply) -> int:
    return reply.usage_detail("completion_tokens_details", "reasoning_tokens")


# Items


def items(answer: Answer) -> list[dict[str, Any]]:
    """The items of the answer: reasoning, a message, calls."""
    reply, digest = answer.reply, answer.digest
    output: list[dict[str, Any]] = []
    if reply.reasoning or _reasoning_tokens(reply):
        output.append(_reasoning(answer))
    calls = [call for call in sequence(reply.tool_calls) if isinstance(call, dict)]
    if reply.content or reply.refusal or not calls:
        output.append(
            {
                "id": f"msg_{digest}",
                "type": "message",
                "status": "completed",
                "content": _parts(reply),
                "role": "assistant",
            }
        )
    namespaces = _namespaces(answer)
    output += [_call(call, f"{digest}{n}", namespaces) for n, call in enumerate(calls)]
    if str(reply.end_reason) in _INCOMPLETE and "status" in output[-1]:
        output[-1]["status"] = "incomplete"
    return output


def _reasoning(answer: Answer) -> dict[str, Any]:
    """Reasoning. Without text it only shows that the model reasoned, as the token count does."""
    text = answer.reply.reasoning
    summary = [{"type": "summary_text", "text": text}] if text else []
    item = {"id": f"rs_{answer.digest}", "type": "reasoning", "summary": summary}
    if ENCRYPTED in sequence(answer.request.payload.get("include")):
        item["encrypted_content"] = answer.digest
    return item


def _parts(reply: NeutralReply) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    if reply.content or not reply.refusal:
        text = _as_text(reply.content)
        parts.append({"type": "output_text", "annotations": [], "logprobs": [], "text": text})
    if reply.refusal:
        parts.append({"type": "refusal", "refusal": reply.refusal})
    return parts


def _call(call: dict[str, Any], id: str, namespaces: Mapping[str, str]) -> dict[str, Any]:
    call_id = _as_text(call.get("id"))
    if isinstance(call.get("custom"), dict):
        name, tool_input = (_as_text(call["custom"].get(key)) for key in ("name", "input"))
        item = {"id": f"ctc_{id}", "type": "custom_tool_call", "status": "completed"}
        item |= {"call_id": call_id, "input": tool_input, "name": name}
    else:
        function = mapping(call.get("function"))
        name, arguments = (_as_text(function.get(key)) for key in ("name", "arguments"))
        item = {"id": f"fc_{id}", "type": "function_call", "status": "completed"}
        item |= {"arguments": arguments, "call_id": call_id, "name": name}
    return {**item, "namespace": namespaces[name]} if name in namespaces else item


def _namespaces(answer: Answer) -> dict[str, str]:
    """The namespaces of the tools that the request offers in one, by the names of the tools."""
    return {
        _as_text(mapping(tool).get("name")): _as_text(space.get("name"))
        for space in all_tools(answer.request.payload)
        if space.get("type") == "namespace"
        for tool in sequence(space.get("tools"))
    }


def _as_text(value: object) -> str:
    """A text; what a fixture has in its place, as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
