"""Reads chat completion requests, and those of the other APIs once they are translated to one."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from workbench.core.apis.client_settings import ClientSettings
from workbench.core.digest import Canonical, canonical
from workbench.core.requests.openapi import as_json_schema
from workbench.core.requests.view import (
    FunctionCall,
    Message,
    OutputFormat,
    Part,
    Payload,
    RequestView,
    Tool,
    ToolChoice,
)
from workbench.core.values import mapping, mappings, sequence, string

# Made once: ``json.dumps`` makes one for each text that is not written its usual way.
_SORTED = json.JSONEncoder(sort_keys=True)


NAME: Final = "chat"
CLIENT: Final = ClientSettings(
    "OPENAI_BASE_URL", "/v1", "OPENAI_API_KEY", "Authorization", "Bearer "
)
ROUTES: Final = ("/v1/chat/completions",)
PATH: Final = re.compile(r"/chat/completions$")


def received(body: Payload, path: re.Match[str], query: str) -> Payload:  # noqa: ARG001
    return body


def target(payload: Payload) -> tuple[str, Payload]:
    return ROUTES[0], payload


def as_chat(payload: Payload) -> Payload:
    return payload


def unsupported(payload: Payload) -> None:  # noqa: ARG001
    return None


class ChatRequest(RequestView):
    """A request of the chat completions API, or one that is read as such: then ``chat`` is the chat
    request that says the same.
    """

    def __init__(self, payload: Payload, api: str = NAME, chat: Payload | None = None) -> None:
        super().__init__(payload, api)
        self._chat = payload if chat is None else chat

    @cached_property
    def canonical(self) -> Canonical:
        return canonical(self._chat)

    @property
    def raw_messages(self) -> list[Any]:
        return sequence(self._chat.get("messages"))

    @cached_property
    def messages(self) -> list[Message]:
        return [
            _message(index, message)
            for index, message in enumerate(self.raw_messages)
            if isinstance(message, dict)
        ]

    @property
    def prompt_text(self) -> str:
        """Strings inside a list of parts do not count, as in the reference server."""
        return "\n".join(_texts(self.raw_messages))

    @cached_property
    def tools(self) -> list[Tool]:
        return [
            Tool(
                name=string(function.get("name")),
                description=string(function.get("description")),
                parameters=_schema(function.get("parameters")),
                strict=function.get("strict") is True,
            )
            for tool in mappings(self._chat.get("tools"))
            for function in [mapping(tool.get("function"))]
        ]

    @property
    def offers_tools(self) -> bool:
        return bool(self._chat.get("tools"))

    @property
    def tool_choice(self) -> ToolChoice:
        choice = self._chat.get("tool_choice")
        if choice in ("none", "auto", "required"):
            return ToolChoice(choice)
        name = string(mapping(mapping(choice).get("function")).get("name"))
        return ToolChoice("function", name) if name else ToolChoice("absent")

    @property
    def output_format(self) -> OutputFormat:
        given = mapping(self._chat.get("response_format"))
        spec = mapping(given.get("json_schema"))
        return OutputFormat(
            kind=string(given.get("type")) or "text",
            name=string(spec.get("name")),
            schema=_schema(spec.get("schema")),
            strict=spec.get("strict") is True,
        )

    @property
    def demands(self) -> dict[str, Any]:
        asked = ("tools", "tool_choice", "response_format")
        return {key: self._chat[key] for key in asked if key in self._chat}

    @cached_property
    def variant(self) -> bytes:
        outside = [self._chat.get(key) for key in ("tools", "functions", "response_format")]
        return hashlib.blake2b(_SORTED.encode(outside).encode("ascii"), digest_size=16).digest()

    @property
    def stream(self) -> bool:
        return bool(self._chat.get("stream"))

    @property
    def include_usage(self) -> bool:
        return bool(mapping(self._chat.get("stream_options")).get("include_usage"))


def _schema(value: object) -> dict[str, Any] | None:
    return as_json_schema(value) if isinstance(value, dict) else None


def _message(index: int, message: dict[str, Any]) -> Message:
    return Message(
        index=index,
        path=("messages", index),
        role=string(message.get("role")) or "?",
        name=string(message.get("name")),
        parts=_parts(message.get("content")),
        tool_calls=tuple(map(_tool_call, mappings(message.get("tool_calls")))),
        tool_call_id=string(message.get("tool_call_id")),
        raw=message,
    )


def _tool_call(call: dict[str, Any]) -> FunctionCall:
    function = mapping(call.get("function"))
    name, arguments = function.get("name"), function.get("arguments")
    return FunctionCall(string(call.get("id")), string(name), string(arguments))


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


def _texts(messages: list[Any]) -> Iterator[str]:
    for message in mappings(messages):
        content = message.get("content")
        if isinstance(content, str):
            yield content
        for part in mappings(content):
            if isinstance(part.get("text"), str):
                yield part["text"]
