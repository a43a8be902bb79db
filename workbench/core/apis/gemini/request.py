"""Convert a request of Gemini's generateContent to the equivalent chat request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qs, quote

from workbench.core.apis.api import GET, PlainPath, TokenCount, UnsupportedPath
from workbench.core.apis.gemini.fields import field, objects, text
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.apis.vertex import PARENT, parent_in, path_of
from workbench.core.json.values import mapping
from workbench.core.requests.view import Payload, RequestView
from workbench.core.text.inert import type_name

NAME: Final = "gemini"
_STREAMED: Final = "streamGenerateContent"
ROUTE: Final = "/v1beta/models/{model}:generateContent"
DEMANDS: Final = frozenset(
    {
        *("api", PARENT, "model", "stream", "alt", "tools", "toolConfig", "tool_config"),
        *("generationConfig", "generation_config"),
    }
)


def _counted(body: Payload) -> tuple[str, Payload]:
    """The request whose tokens are counted: the body, or the request inside it."""
    whole = field(body, "generateContentRequest")
    return ":generateContent", whole if isinstance(whole, dict) else body


TOKEN_COUNT: Final = TokenCount(
    re.compile(r":countTokens$"), ":generateContent", "totalTokens", _counted
)
_MODELS: Final = r"/v1(?:alpha|beta)\d*/(?:publishers/google/)?models"
PLAIN_PATHS: Final = (
    PlainPath("models", re.compile(f"{_MODELS}$"), GET),
    PlainPath("model", re.compile(f"{_MODELS}/(?P<name>[^/:]+)$"), GET),
)
UNSUPPORTED_PATHS: Final = (
    UnsupportedPath(
        # Below ``/openai/`` are OpenAI's APIs.
        r"^(?!.*/openai/).*(?:/v1(?:alpha|beta)\d*/|/interactions(?:/|$)"
        r"|(?i::(?:stream|batch|async)*(?:generate|embed|count|predict)\w*$))",
        "of the Gemini API, this server supports only generateContent and countTokens",
    ),
)
# Keys that are added from the URL; the body does not have them.
_OF_URL: Final = frozenset({"api", PARENT, "model", "stream", "alt"})

_CHOICES: Final = {"AUTO": "auto", "VALIDATED": "auto", "NONE": "none", "ANY": "required"}
# The keys of the schemas of its clients, which are of the OpenAPI kind: types in capitals,
# ``nullable``, keys in snake_case, counts as strings.
_COUNTS: Final = {
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
}
_NAMES: Final = {**_COUNTS, "any_of": "anyOf"}
# Parts that report the actions of Google's tools.
_BUILT_IN_PARTS: Final = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")


def received(body: Payload, path: re.Match[str], query: str) -> Payload:
    """The body with the data in the URL: the model, ``stream``, and the form of the stream."""
    of_url: dict[str, Any] = {"api": NAME, "model": path["model"]}
    if (parent := parent_in(path, "google")) is not None:
        of_url[PARENT] = parent
    if path["method"] == _STREAMED:
        # Without ``alt``, the API sends a stream as a JSON array.
        of_url |= {
            "stream": True,
            "alt": "sse" if "sse" in parse_qs(query).get("alt", ()) else "json",
        }
    return {**_body(payload=body), **of_url}


def target(payload: Payload) -> tuple[str, Payload]:
    """The opposite of ``received``: path and query of the URL, and the body."""
    model = quote(text(payload, "model"), safe="", errors="surrogatepass")
    path, body = path_of(payload) or f"/v1beta/models/{model}", _body(payload)
    if payload.get("stream") is not True:
        return f"{path}:generateContent", body
    query = "" if payload.get("alt") == "json" else "?alt=sse"
    return f"{path}:{_STREAMED}{query}", body


def _body(payload: Payload) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key not in _OF_URL}


def as_chat(payload: Payload) -> Payload:
    """The equivalent chat request. A value of a wrong type counts as absent."""
    # Most logs have no such request.
    from workbench.core.apis.gemini.contents import messages, system_message

    chat = {
        "model": text(payload, "model") or None,
        "messages": [
            *system_message(field(payload, "systemInstruction")),
            *messages(objects(payload, "contents")),
        ],
        "tool_choice": _tool_choice(field(payload, "toolConfig")),
        "tools": [_tool(function) for function in _functions(payload)] or None,
        "response_format": _response_format(field(payload, "generationConfig")),
        "stream": payload.get("stream") is True or None,
    }
    return {key: value for key, value in chat.items() if value is not None}


def _functions(payload: Payload) -> Iterator[dict[str, Any]]:
    for tool in objects(payload, "tools"):
        yield from objects(tool, "functionDeclarations")


def _tool(function: dict[str, Any]) -> dict[str, Any]:
    values = {
        "name": function.get("name"),
        "description": function.get("description"),
        "parameters": as_json_schema(
            field(function, "parametersJsonSchema") or function.get("parameters")
        ),
    }
    named = {key: value for key, value in values.items() if value is not None}
    return {"type": "function", "function": named}


def _tool_choice(config: object) -> Any:
    calling = field(config, "functionCallingConfig")
    choice = _CHOICES.get(text(calling, "mode"))
    allowed = field(calling, "allowedFunctionNames")
    if choice != "required" or not isinstance(allowed, list) or not allowed:
        return choice
    tools = [{"type": "function", "function": {"name": name}} for name in allowed]
    if len(tools) == 1:
        return tools[0]
    return {"type": "allowed_tools", "allowed_tools": {"mode": choice, "tools": tools}}


def _response_format(config: object) -> dict[str, Any] | None:
    kind = text(config, "responseMimeType")
    schema = field(config, "responseJsonSchema") or field(config, "responseSchema")
    if kind == "text/x.enum":  # the schema lists words, and the reply is one of them, not JSON
        return None
    if isinstance(schema, dict):
        named_schema = {"name": "output", "schema": as_json_schema(schema)}
        return {"type": "json_schema", "json_schema": named_schema}
    return {"type": "json_object"} if kind == "application/json" else None


def as_json_schema(schema: Any) -> Any:
    """The JSON Schema equivalent to an OpenAPI schema; other values unchanged."""
    kind = mapping(schema).get("type")
    if not (isinstance(kind, str) and kind.isupper()):
        return schema
    try:
        return _converted({**schema, "nullable": False})
    except RecursionError:
        return schema


def _converted(schema: dict[str, Any]) -> dict[str, Any]:
    converted = {_NAMES.get(key, key): value for key, value in schema.items()}
    for key in _COUNTS.values():
        if isinstance(count := converted.get(key), str) and count.isdecimal():
            converted[key] = int(count)
    if isinstance(kind := converted.get("type"), str):
        converted["type"] = kind.lower()
    if isinstance(properties := converted.get("properties"), dict):
        converted["properties"] = {name: _inner(value) for name, value in properties.items()}
    if "items" in converted:
        converted["items"] = _inner(converted["items"])
    if isinstance(options := converted.get("anyOf"), list):
        converted["anyOf"] = [_inner(option) for option in options]
    if converted.pop("nullable", False) is True:
        return {"anyOf": [converted, {"type": "null"}]}
    return converted


def _inner(value: Any) -> Any:
    return _converted(value) if isinstance(value, dict) else value


def unsupported(payload: Payload) -> str | None:
    """Why no fixture can answer the request, in words that follow its path and a colon."""
    feature = next(_unsupported_features(payload), None)
    return f"this server does not support {feature}" if feature else None


def _unsupported_features(payload: Payload) -> Iterator[str]:
    """Features that the request uses beyond text and functions."""
    if field(payload, "cachedContent"):
        yield "cachedContent"
    modalities = field(field(payload, "generationConfig"), "responseModalities")
    if isinstance(modalities, list) and any(modality != "TEXT" for modality in modalities):
        yield "responseModalities other than TEXT"
    for content in objects(payload, "contents"):
        for part in objects(content, "parts"):
            names = [name for name in _BUILT_IN_PARTS if field(part, name) is not None]
            yield from (f"{name}, a part of a built-in tool" for name in names)
    # Beside functions, a built-in tool is only offered.
    if not any(_functions(payload)):
        for tool in objects(payload, "tools"):
            yield from (f"the built-in tool {type_name(name)}" for name in tool)


def ignored(request: RequestView) -> list[IgnoredOption]:
    """The options that replies may not honour."""
    config = field(request.payload, "generationConfig")
    return ["logprobs"] if field(config, "responseLogprobs") else []
