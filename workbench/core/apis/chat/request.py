"""A chat completion request as a person reads it: who said what, what was offered, what was asked.

Everything here reads a payload that may have any shape: requests come from logs, and a field of the
wrong type is shown as absent, never raised.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Payload = Mapping[str, Any]

# Made once: ``json.dumps`` makes one for each text that is not written its usual way.
_SORTED = json.JSONEncoder(sort_keys=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """One function the request offers.

    Attributes:
        parameters: its JSON Schema, or None where the request gives none.
        strict: whether the API is asked to enforce the schema.
    """

    name: str
    description: str
    parameters: dict[str, Any] | None
    strict: bool

    @property
    def required(self) -> list[str]:
        required = (self.parameters or {}).get("required")
        return [k for k in required if isinstance(k, str)] if isinstance(required, list) else []

    @property
    def properties(self) -> dict[str, Any]:
        properties = (self.parameters or {}).get("properties")
        return properties if isinstance(properties, dict) else {}

    @property
    def signature(self) -> str:
        """``get_weather(city, unit?)``: optional parameters with a question mark."""
        required = set(self.required)
        names = [name if name in required else f"{name}?" for name in self.properties]
        return f"{self.name}({', '.join(names)})"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a message's content.

    Attributes:
        kind: ``text``, or the ``type`` of another part (``image_url``).
        text: the text; of another part its URL or JSON.
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message, with its place in the request."""

    index: int
    role: str
    name: str
    parts: tuple[Part, ...]
    tool_calls: tuple[ToolCall, ...]
    tool_call_id: str

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if part.kind == "text")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that an assistant message made."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ResponseFormat:
    """What shape of answer the request asks for.

    Attributes:
        kind: ``text``, ``json_object`` or ``json_schema``.
        schema: the JSON Schema of ``json_schema``, else None.
    """

    kind: str
    name: str = ""
    schema: dict[str, Any] | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """What the request demands: ``none``, ``auto``, ``required`` or one ``function``."""

    mode: Literal["absent", "none", "auto", "required", "function"]
    name: str = ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def model(payload: Payload) -> str:
    """The model asked for; the reference answers as ``gpt-4o-mini`` where none is named."""
    return _text(payload.get("model")) or "gpt-4o-mini"


def asks_stream(payload: Payload) -> bool:
    return bool(payload.get("stream"))


def include_usage(payload: Payload) -> bool:
    """Whether a stream is to end with the token counts."""
    return bool(_dict(payload.get("stream_options")).get("include_usage"))


def tools(payload: Payload) -> list[Tool]:
    """The functions offered under ``tools``."""
    return [
        Tool(
            name=_text(function.get("name")),
            description=_text(function.get("description")),
            parameters=parameters if isinstance(parameters, dict) else None,
            strict=function.get("strict") is True,
        )
        for tool in _dicts(payload.get("tools"))
        for function in [_dict(tool.get("function"))]
        for parameters in [function.get("parameters")]
    ]


def tool_choice(payload: Payload) -> ToolChoice:
    choice = payload.get("tool_choice")
    if choice == "none":
        return ToolChoice("none")
    if choice == "auto":
        return ToolChoice("auto")
    if choice == "required":
        return ToolChoice("required")
    name = _text(_dict(_dict(choice).get("function")).get("name"))
    return ToolChoice("function", name) if name else ToolChoice("absent")


def response_format(payload: Payload) -> ResponseFormat:
    given = _dict(payload.get("response_format"))
    kind = _text(given.get("type")) or "text"
    spec = _dict(given.get("json_schema"))
    schema = spec.get("schema")
    return ResponseFormat(
        kind=kind,
        name=_text(spec.get("name")),
        schema=schema if isinstance(schema, dict) else None,
        strict=spec.get("strict") is True,
    )


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deeply to be shown)"


def _part(value: object) -> Part:
    if isinstance(value, str):
        return Part("text", value)
    part = _dict(value)
    kind = _text(part.get("type")) or "unknown"
    if isinstance(part.get("text"), str):
        return Part("text", part["text"])
    url = part.get("image_url")
    return Part(kind, _text(_dict(url).get("url")) or _text(url) or _json(value))


def _content_parts(content: object) -> tuple[Part, ...]:
    if content is None:
        return ()
    if isinstance(content, list):
        return tuple(_part(part) for part in content)
    return (_part(content),) if isinstance(content, str) else (Part("unknown", _json(content)),)


def messages(payload: Payload) -> list[Message]:
    """The messages that are objects, each with its place in the payload's list."""
    return [_message(index, message) for index, message in _placed_messages(payload)]


def messages_of(role: str, payload: Payload) -> Iterator[Message]:
    """The messages of one role, the last one first. The others are not read."""
    for index, message in reversed(_placed_messages(payload)):
        if message.get("role") == role:
            yield _message(index, message)


def _placed_messages(payload: Payload) -> list[tuple[int, dict[str, Any]]]:
    given = payload.get("messages")
    if not isinstance(given, list):
        return []
    return [(index, message) for index, message in enumerate(given) if isinstance(message, dict)]


def _message(index: int, message: dict[str, Any]) -> Message:
    return Message(
        index=index,
        role=_text(message.get("role")) or "?",
        name=_text(message.get("name")),
        parts=_content_parts(message.get("content")),
        tool_calls=tuple(
            ToolCall(_text(call.get("id")), _text(f.get("name")), _text(f.get("arguments")))
            for call in _dicts(message.get("tool_calls"))
            for f in [_dict(call.get("function"))]
        ),
        tool_call_id=_text(message.get("tool_call_id")),
    )


def last_user_text(payload: Payload) -> str:
    """What the user said last, or "" where no user spoke; other parts are counted behind it."""
    for message in messages_of("user", payload):
        others = [part.kind for part in message.parts if part.kind != "text"]
        more = f"  +{len(others)} {others[0].removesuffix('_url')}" if others else ""
        return message.text + more
    return ""


def variant(payload: Payload) -> bytes:
    """Tells requests of one digest apart by what the digest leaves out and a reply depends on: the
    offered tools and the response format.
    """
    outside = [payload.get("tools"), payload.get("functions"), payload.get("response_format")]
    return hashlib.blake2b(_SORTED.encode(outside).encode("ascii"), digest_size=16).digest()


def turn(payload: Payload) -> int:
    """Which turn of its conversation the request is: 1 plus the answers it quotes."""
    roles = (message.get("role") for _, message in _placed_messages(payload))
    return 1 + sum(role == "assistant" for role in roles if isinstance(role, str))


def _texts(payload: Payload) -> Iterator[str]:
    for message in _dicts(payload.get("messages")):
        content = message.get("content")
        if isinstance(content, str):
            yield content
        for part in _dicts(content):
            if isinstance(part.get("text"), str):
                yield part["text"]


def prompt_text(payload: Payload) -> str:
    """All text of all messages, joined by line ends: what prompt tokens are estimated from, and
    where directives are looked for. Strings inside a list of parts do not count (the reference).
    """
    return "\n".join(_texts(payload))


def estimate_tokens(text: Any) -> int:
    """Four characters a token, at least one for any text (the reference's estimate)."""
    return max(1, len(text) // 4) if text else 0
