"""The request view: a request in one shape, independent of its API.

A request of another API than chat is converted to the equivalent chat request. Rules, sessions,
server and user interface read requests through this class, without the keys of any API. Requests in
logs may have any shape: a part of the wrong type counts as absent and causes no error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Any, Final, Literal, NamedTuple

from workbench.core import digest
from workbench.core.digest import Canonical
from workbench.core.json.values import mapping, mappings, sequence, sorted_json, string
from workbench.core.requests.messages import FunctionCall, Message, read_message
from workbench.core.secrets.bodies import may_be_named, named_in, without

DEFAULT_MODEL: Final = "gpt-4o-mini"
"""What the reference stub answers as where a request names no model."""

Payload = Mapping[str, Any]
"""The JSON object that a request sends."""


class Tool(NamedTuple):
    """A function the request offers, or a custom tool, whose input is text.

    Attributes:
        parameters: its JSON Schema, or None if the request gives none.
        strict: True if the API has to enforce the schema.
    """

    name: str
    description: str
    parameters: dict[str, Any] | None
    strict: bool
    is_custom: bool = False

    @property
    def required(self) -> list[str]:
        required = sequence((self.parameters or {}).get("required"))
        return [name for name in required if isinstance(name, str)]

    @property
    def properties(self) -> dict[str, Any]:
        return mapping((self.parameters or {}).get("properties"))

    @property
    def signature(self) -> str:
        """``get_weather(city, unit?)``: optional parameters with a question mark."""
        if self.is_custom:
            return f"{self.name}(text)"
        required = set(self.required)
        names = [name if name in required else f"{name}?" for name in self.properties]
        return f"{self.name}({', '.join(names)})"


class OutputFormat(NamedTuple):
    """The output format that the request requires.

    Attributes:
        kind: ``text``, ``json_object`` or ``json_schema``.
        schema: the JSON Schema of ``json_schema``, else None.
    """

    kind: str
    name: str = ""
    schema: dict[str, Any] | None = None
    strict: bool = False

    @property
    def is_json(self) -> bool:
        return self.kind in ("json_object", "json_schema")


class ToolChoice(NamedTuple):
    """Which calls the request demands: ``none``, ``auto``, ``required``, or one ``function``."""

    mode: Literal["absent", "none", "auto", "required", "function"]
    name: str = ""


class RequestView:
    """A request, read on demand.

    Args:
        payload: as it was received, logged or stored.
        api: the name of its API.
        chat: the equivalent chat request; ``payload`` itself for chat.
    """

    def __init__(self, payload: Payload, api: str, chat: Payload) -> None:
        self.payload = payload
        self.api = api
        self._chat = chat

    @cached_property
    def canonical(self) -> Canonical:
        """The parts that decide the answer, as the digest takes them."""
        return digest.canonical(self._chat)

    @property
    def raw_messages(self) -> list[Any]:
        """The messages as received, whatever their types."""
        return sequence(self._chat.get("messages"))

    @cached_property
    def messages(self) -> list[Message]:
        """The messages that are objects, in order."""
        return [
            read_message(index, message)
            for index, message in enumerate(self.raw_messages)
            if isinstance(message, dict)
        ]

    @property
    def prompt_text(self) -> str:
        """The text of all messages, joined by line ends: what prompt tokens are estimated from,
        and where directives are looked for. Strings inside a list of parts do not count, as in the
        reference stub.
        """
        texts = []
        for message in mappings(self._chat.get("messages")):
            content = message.get("content")
            if isinstance(content, str):
                texts.append(content)
            else:
                texts += [p["text"] for p in mappings(content) if isinstance(p.get("text"), str)]
        return "\n".join(texts)

    @property
    def prompt_tokens(self) -> int:
        """How many tokens the prompt has, estimated; at least one."""
        return max(1, estimate_tokens(self.prompt_text))

    @cached_property
    def tools(self) -> list[Tool]:
        """The functions and custom tools offered."""
        return list(map(_tool, mappings(self._chat.get("tools"))))

    @property
    def offers_tools(self) -> bool:
        """True if anything is offered, even if it is not a readable function."""
        return bool(self._chat.get("tools"))

    @property
    def tool_choice(self) -> ToolChoice:
        """Which calls are demanded."""
        choice = self._chat.get("tool_choice")
        if choice in ("none", "auto", "required"):
            return ToolChoice(choice)
        name = string(mapping(mapping(choice).get("function")).get("name"))
        return ToolChoice("function", name) if name else ToolChoice("absent")

    @property
    def output_format(self) -> OutputFormat:
        """The output format that the request requires."""
        response_format = mapping(self._chat.get("response_format"))
        spec = mapping(response_format.get("json_schema"))
        return OutputFormat(
            kind=string(response_format.get("type")) or "text",
            name=string(spec.get("name")),
            schema=_schema(spec.get("schema")),
            strict=spec.get("strict") is True,
        )

    @property
    def demands(self) -> dict[str, Any]:
        """Tools, tool choice and output format, under chat's keys."""
        keys = ("tools", "tool_choice", "response_format")
        return {key: self._chat[key] for key in keys if key in self._chat}

    @cached_property
    def variant(self) -> str:
        """Distinguishes the request from others with the same digest: 8 hexadecimal digits of a
        hash of the offered tools and the output format, on which a reply depends as well.
        """
        output = self.output_format
        offered = [[t.name, t.description, t.parameters, t.is_custom] for t in self.tools]
        outside = [offered, self._chat.get("functions"), output.kind, output.schema]
        return _variant(sorted_json(outside))

    @property
    def stream(self) -> bool:
        """True if the reply must be streamed."""
        return bool(self._chat.get("stream"))

    @property
    def include_usage(self) -> bool:
        """True if a stream must end with the token counts."""
        return bool(mapping(self._chat.get("stream_options")).get("include_usage"))

    # Derived from the parts

    @cached_property
    def digest(self) -> str:
        """The digest of the request. Raises RequestError as ``digest.digest_of``."""
        return digest.digest(self._chat)

    @property
    def echoed_model(self) -> Any:
        """The model in a reply: the requested one, of any type."""
        return self._chat.get("model") or DEFAULT_MODEL

    @property
    def model(self) -> str:
        """The requested model, or the default."""
        model = self._chat.get("model")
        return model if isinstance(model, str) and model else DEFAULT_MODEL

    @property
    def answers(self) -> list[Message]:
        """The messages of the model that the request quotes."""
        return [message for message in self.messages if message.role == "assistant"]

    @property
    def turn(self) -> int:
        """Which turn of its conversation the request is: 1 plus the answers it quotes."""
        return 1 + len(self.answers)

    @property
    def last_user_text(self) -> str:
        """The user's last text, or ""; other parts are counted after it."""
        return next((m.brief for m in self.messages[::-1] if m.role == "user"), "")

    @property
    def opening_text(self) -> str:
        """The first text of the user, "" without a user."""
        return next((message.text for message in self.messages if message.role == "user"), "")

    @property
    def new_messages(self) -> list[Message]:
        """The messages after the model's last answer."""
        last = takewhile(lambda message: message.role != "assistant", self.messages[::-1])
        return [*last][::-1]

    def answered_call(self, message: Message) -> FunctionCall | None:
        """The call whose result is in a message; ids may be reused in later turns."""
        if not message.tool_call_id:
            return None
        before = self.messages[: message.position][::-1]
        calls = (call for answer in before for call in answer.tool_calls)
        return next((call for call in calls if call.id == message.tool_call_id), None)

    @property
    def added_text(self) -> str:
        """The text after the model's last answer, such as the results of tools; "" if it ends with
        a message of the user.
        """
        new = self.new_messages
        if new and new[-1].role == "user":
            return ""
        return "  ".join(f"{message.role} {message.text}" for message in new)

    @property
    def new_text(self) -> str:
        """The text that is new in this turn: the results of tools, or the user's last text."""
        added = self.added_text
        return (added if self.answers else "") or self.last_user_text or added


# A suite offers few sets of tools, again and again.
@lru_cache(maxsize=64)
def _variant(outside: str) -> str:
    """The hash of the parts outside the digest, as JSON. Credentials, recognised by name, are
    excluded, because stored requests have none.
    """
    written = outside.encode("utf-8", "surrogatepass")
    if may_be_named(written):
        value = json.loads(outside)
        written = sorted_json(without(value, named_in(value))).encode("utf-8", "surrogatepass")
    return hashlib.sha256(written).hexdigest()[:8]


def estimate_tokens(text: Any) -> int:
    """Four characters a token, at least one for any text (the reference stub's estimate)."""
    return max(1, len(text) // 4) if text else 0


def _tool(tool: Mapping[str, Any]) -> Tool:
    is_custom = tool.get("type") == "custom"
    declared = mapping(tool.get("custom" if is_custom else "function"))
    return Tool(
        name=string(declared.get("name")),
        description=string(declared.get("description")),
        parameters=_schema(declared.get("parameters")),
        strict=declared.get("strict") is True,
        is_custom=is_custom,
    )


def _schema(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None
