"""The messages of a request: their parts, and the calls that they make."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from workbench.core.json.values import decoded, mapping, mappings, string

if TYPE_CHECKING:
    from workbench.core.json.spans import Path


# Of messages that a program sends with every request.
INSTRUCTION_ROLES: Final = frozenset({"system", "developer"})


class Part(NamedTuple):
    """One part of a message's content.

    Attributes:
        kind: ``text``, or the type of another part (``image_url``).
        text: the text; of another part its URL or its JSON.
    """

    kind: str
    text: str


class FunctionCall(NamedTuple):
    """A call of a function, or of a custom tool, whose ``arguments`` are plain text. A field of the
    wrong type is "".
    """

    id: str
    name: str
    arguments: str
    is_custom: bool = False

    @property
    def arguments_object(self) -> dict[str, Any] | None:
        """The arguments, for APIs that send them as an object; None if they are not one."""
        try:
            arguments = json.loads(self.arguments or "{}")
            json.dumps(arguments, allow_nan=False)  # NaN and 1e999 are not JSON
        except (ValueError, RecursionError):
            return None
        return arguments if isinstance(arguments, dict) else None

    @property
    def brief(self) -> str:
        """``get_weather(city=London)``; arguments that are not a JSON object unchanged."""
        arguments = decoded(self.arguments)
        if not isinstance(arguments, dict):
            return f"{self.name}({self.arguments})"
        texts = (
            v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)
            for v in arguments.values()
        )
        return f"{self.name}({', '.join(map('='.join, zip(arguments, texts, strict=True)))})"


class Message(NamedTuple):
    """One message.

    Attributes:
        position: its place among the messages of the request, from 0.
        tool_call_id: the id of the call that it answers, or "".
        raw: as it was received.
    """

    position: int
    role: str
    name: str
    parts: tuple[Part, ...]
    tool_calls: tuple[FunctionCall, ...]
    tool_call_id: str
    raw: dict[str, Any]

    @property
    def path(self) -> Path:
        """Where it is in the chat request."""
        return ("messages", self.position)

    @property
    def where(self) -> str:
        """Its path as text: ``messages[3]``."""
        key, position = self.path
        return f"{key}[{position}]"

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if part.kind == "text")

    @property
    def brief(self) -> str:
        """Its text, with its other parts counted after it: ``Look at this  +1 image``."""
        others = [part.kind for part in self.parts if part.kind != "text"]
        more = f"  +{len(others)} {others[0].removesuffix('_url')}" if others else ""
        return self.text + more


# Reading chat messages


def read_message(position: int, message: dict[str, Any]) -> Message:
    """Message ``position`` of a chat request; what has a wrong type counts as absent."""
    return Message(
        position=position,
        role=string(message.get("role")) or "?",
        name=string(message.get("name")),
        parts=_parts(message.get("content")),
        tool_calls=tuple(map(read_call, mappings(message.get("tool_calls")))),
        tool_call_id=string(message.get("tool_call_id")),
        raw=message,
    )


def read_call(call: Mapping[str, Any]) -> FunctionCall:
    """A tool call of a message or of a response; what has a wrong type counts as absent."""
    is_custom = call.get("type") == "custom"
    kind, key = ("custom", "input") if is_custom else ("function", "arguments")
    called = mapping(call.get(kind))
    name, arguments = string(called.get("name")), string(called.get(key))
    return FunctionCall(string(call.get("id")), name, arguments, is_custom)


def chat_call(id: object, name: object, arguments: object) -> dict[str, Any]:
    """A call of a function as chat messages and fixtures have it: the opposite of ``read_call``."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def custom_call(id: object, name: object, input: object) -> dict[str, Any]:
    """A call of a custom tool as chat messages and fixtures have it."""
    return {"id": id, "type": "custom", "custom": {"name": name, "input": input}}


def data_url(media_type: str, data: str) -> str:
    """The URL of an image or a file in base64, as in chat messages. Padding is unified, because
    clients of other APIs differ.
    """
    return f"data:{media_type};base64,{data}{'=' * (-len(data) % 4)}"


def _parts(content: object) -> tuple[Part, ...]:
    if content is None:
        return ()
    if isinstance(content, list):
        return tuple(map(_part, content))
    return (_part(content) if isinstance(content, str) else Part("unknown", _json(content)),)


def _part(value: object) -> Part:
    if isinstance(value, str):
        return Part("text", value)
    part = mapping(value)
    if isinstance(part.get("text"), str):
        return Part("text", part["text"])
    url = part.get("image_url")
    text = string(mapping(url).get("url")) or string(url) or _json(value)
    return Part(string(part.get("type")) or "unknown", text)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deeply to be shown)"
