"""Convert a request of Converse to the equivalent chat request.

A value of a wrong type counts as absent.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from workbench.core.apis.api import PlainPath, TokenCount, UnsupportedPath
from workbench.core.apis.converse.blocks import messages, system_message
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.apis.messages import request as anthropic
from workbench.core.json.values import decoded, mapping, mappings, string
from workbench.core.requests.view import Payload, RequestView
from workbench.core.text.inert import type_name

NAME: Final = "converse"
_STREAMED: Final = "converse-stream"
ROUTE: Final = "/model/{model}/converse"
DEMANDS: Final = frozenset(
    {"api", "model", "stream", "toolConfig", "outputConfig", "additionalModelRequestFields"}
)


def _counted(body: Payload) -> tuple[str, Payload]:
    """The request whose tokens are counted: of Converse, or of invoke, whose body is in base64."""
    counted = mapping(body.get("input"))
    if "invokeModel" not in counted:
        return "/converse", mapping(counted.get("converse"))
    encoded = string(mapping(counted["invokeModel"]).get("body"))
    try:
        data = base64.b64decode(encoded, validate=True).decode()
    except ValueError:
        data = encoded
    return "/invoke", mapping(decoded(data))


TOKEN_COUNT: Final = TokenCount(re.compile(r"/count-tokens$"), "/converse", "inputTokens", _counted)
PLAIN_PATHS: Final[tuple[PlainPath, ...]] = ()
UNSUPPORTED_PATHS: Final = (
    UnsupportedPath(
        r"/model/.+/invoke-with-bidirectional-stream$"
        r"|/guardrail/.+/apply$|/guardrail-checks/invoke$|/async-invoke(?:/|$)",
        "of Amazon Bedrock, this server supports Converse, and invoke for Anthropic's models",
    ),
)
# Keys that are added from the URL; the body does not have them.
_OF_URL: Final = frozenset({"api", "model", "stream"})
_ELSEWHERE: Final = "which runs on the provider's servers"


def received(body: Payload, path: re.Match[str], query: str) -> Payload:  # noqa: ARG001
    """The body with the data in the URL: the model, and ``stream``."""
    of_url: dict[str, Any] = {"api": NAME, "model": path["model"]}
    if path["method"] == _STREAMED:
        of_url["stream"] = True
    return {**_body(body), **of_url}


def target(payload: Payload) -> tuple[str, Payload]:
    """The opposite of ``received``: the path of the URL, and the body."""
    model = quote(string(payload.get("model")), safe="", errors="surrogatepass")
    method = _STREAMED if payload.get("stream") is True else "converse"
    return f"/model/{model}/{method}", _body(payload)


def _body(payload: Payload) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key not in _OF_URL}


def as_chat(payload: Payload) -> Payload:
    """The equivalent chat request. A value of a wrong type counts as absent."""
    own_choice = _tool_choice(mapping(payload.get("toolConfig")).get("toolChoice"))
    more = anthropic.as_chat(_of_model(payload))
    chat = {
        "model": string(payload.get("model")) or None,
        "messages": [
            *system_message(payload.get("system")),
            *messages(payload.get("messages")),
        ],
        "tool_choice": own_choice or more.get("tool_choice"),
        "tools": [*map(_tool, _functions(payload)), *more.get("tools", [])] or None,
        "response_format": _response_format(payload) or more.get("response_format"),
        "stream": payload.get("stream") is True or None,
    }
    return {key: value for key, value in chat.items() if value is not None}


def _of_model(payload: Payload) -> dict[str, Any]:
    """The fields of the model's own. Those for Anthropic's models are of the Messages API."""
    return mapping(payload.get("additionalModelRequestFields"))


def _functions(payload: Payload) -> Iterator[Mapping[str, Any]]:
    for tool in mappings(mapping(payload.get("toolConfig")).get("tools")):
        if specification := mapping(tool.get("toolSpec")):
            yield specification


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    named = {
        "name": tool.get("name"),
        "description": tool.get("description"),
        "parameters": mapping(tool.get("inputSchema")).get("json"),
        "strict": tool.get("strict"),
    }
    function = {key: value for key, value in named.items() if value is not None}
    return {"type": "function", "function": function}


def _tool_choice(value: object) -> str | dict[str, Any] | None:
    choice = mapping(value)
    if "tool" in choice:
        name = string(mapping(choice["tool"]).get("name"))
        return {"type": "function", "function": {"name": name}}
    return "required" if "any" in choice else "auto" if "auto" in choice else None


def _response_format(payload: Payload) -> dict[str, Any] | None:
    text_format = mapping(mapping(payload.get("outputConfig")).get("textFormat"))
    described = mapping(mapping(text_format.get("structure")).get("jsonSchema"))
    schema = decoded(string(described.get("schema")))  # JSON as text
    if not isinstance(schema, dict):
        return None
    name = string(described.get("name")) or "output"
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}


def unsupported(payload: Payload) -> str | None:
    """Why no fixture can answer the request, in words that follow its path and a colon."""
    if payload.get("promptVariables") or ":prompt/" in string(payload.get("model")):
        return "it uses a stored prompt, whose text this server does not have"
    if reason := anthropic.unsupported(_of_model(payload)):
        return f"of its additionalModelRequestFields, {reason}"
    if not any(_functions(payload)):
        for tool in mappings(mapping(payload.get("toolConfig")).get("tools")):
            if name := string(mapping(tool.get("systemTool")).get("name")):
                return f"toolConfig has the built-in tool {type_name(name)}, {_ELSEWHERE}"
    for message in mappings(payload.get("messages")):
        for block in mappings(message.get("content")):
            for key in ("toolUse", "toolResult"):
                if kind := string(mapping(block.get(key)).get("type")):
                    return f"messages has a {key} {type_name(kind)}, {_ELSEWHERE}"
    return None


def ignored(request: RequestView) -> list[IgnoredOption]:  # noqa: ARG001
    """The options that replies may not honour."""
    return []
