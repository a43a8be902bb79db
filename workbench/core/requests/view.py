"""The request view: what a request says, in one shape whichever API it was sent to.

``core.apis.chat`` reads chat requests; those of the other APIs are read as the chat request that
says the same. Everything else reads a request through this class, and no module outside
``core.apis`` knows an API's keys.
Requests come from logs and may have any shape: a part of the wrong type counts as absent, and
nothing here fails because of one.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from workbench.core import digest
from workbench.core.digest import Canonical
from workbench.core.values import mapping, sequence

if TYPE_CHECKING:
    from workbench.core.json.spans import Path

Payload = Mapping[str, Any]
"""The JSON object that a request sends."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the request offers.

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
        required = sequence((self.parameters or {}).get("required"))
        return [name for name in required if isinstance(name, str)]

    @property
    def properties(self) -> dict[str, Any]:
        return mapping((self.parameters or {}).get("properties"))

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
        kind: ``text``, or the type of another part (``image_url``).
        text: the text; of another part its URL or its JSON.
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call of a tool. A field of the wrong type is ""."""

    id: str
    name: str
    arguments: str

    @property
    def brief(self) -> str:
        """``get_weather(city=London)``; arguments that are no JSON object as they are."""
        try:
            given = json.loads(self.arguments)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            return f"{self.name}({self.arguments})"
        texts = (
            v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in given.values()
        )
        return f"{self.name}({', '.join(map('='.join, zip(given, texts, strict=True)))})"


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    Attributes:
        index: its place among the messages of the request, from 0.
        path: where it is in the payload.
        tool_call_id: the id of the call that it answers, or "".
        raw: as it was received.
    """

    index: int
    path: Path
    role: str
    name: str
    parts: tuple[Part, ...]
    tool_calls: tuple[FunctionCall, ...]
    tool_call_id: str
    raw: dict[str, Any] = field(repr=False)

    @property
    def where(self) -> str:
        """Its path as text: ``messages[3]``."""
        first, *steps = self.path
        return str(first) + "".join(f"[{step}]" for step in steps)

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if part.kind == "text")


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """The format of answer the request asks for.

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


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """Which calls the request demands: ``none``, ``auto``, ``required``, or one ``function``."""

    mode: Literal["absent", "none", "auto", "required", "function"]
    name: str = ""


class RequestView(ABC):
    """A request, read on demand."""

    DEFAULT_MODEL: ClassVar = "gpt-4o-mini"
    """What the reference server answers as where a request names no model."""

    def __init__(self, payload: Payload, api: str) -> None:
        self.payload = payload
        self.api = api

    # Where an API keeps each part

    @property
    @abstractmethod
    def canonical(self) -> Canonical:
        """The parts that decide the answer, as the digest takes them."""

    @property
    @abstractmethod
    def raw_messages(self) -> list[Any]:
        """The messages as received, whatever their types."""

    @property
    @abstractmethod
    def messages(self) -> list[Message]:
        """The messages that are objects, in order."""

    @property
    @abstractmethod
    def prompt_text(self) -> str:
        """The text of all messages, joined by line ends: what prompt tokens are estimated from,
        and where directives are looked for.
        """

    @property
    @abstractmethod
    def tools(self) -> list[Tool]:
        """The functions offered."""

    @property
    @abstractmethod
    def offers_tools(self) -> bool:
        """Whether anything is offered, even if it is not a function that could be read."""

    @property
    @abstractmethod
    def tool_choice(self) -> ToolChoice:
        """Which calls are demanded."""

    @property
    @abstractmethod
    def output_format(self) -> OutputFormat:
        """The format of answer that is asked for."""

    @property
    @abstractmethod
    def demands(self) -> dict[str, Any]:
        """Tools, tool choice and output format, as received, under the API's own keys."""

    @property
    @abstractmethod
    def variant(self) -> bytes:
        """Tells requests of one digest apart by what the digest leaves out and a reply depends on:
        the offered tools and the output format.
        """

    @property
    @abstractmethod
    def stream(self) -> bool:
        """Whether the reply is to be streamed."""

    @property
    @abstractmethod
    def include_usage(self) -> bool:
        """Whether a stream is to end with the token counts."""

    # What follows from the parts

    @cached_property
    def digest(self) -> str:
        """The digest of the request. Raises RequestError as ``digest.digest_of``."""
        return digest.digest_of(self.canonical)

    @property
    def echoed_model(self) -> Any:
        """The model that a reply names: the one asked for, whatever its type."""
        return self.canonical.model or self.DEFAULT_MODEL

    @property
    def model(self) -> str:
        """The model asked for, or the default."""
        given = self.canonical.model
        return given if isinstance(given, str) and given else self.DEFAULT_MODEL

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
        """What the user said last, or "" without a user; other parts are counted after it."""
        for message in reversed(self.messages):
            if message.role == "user":
                others = [part.kind for part in message.parts if part.kind != "text"]
                more = f"  +{len(others)} {others[0].removesuffix('_url')}" if others else ""
                return message.text + more
        return ""


def estimate_tokens(text: Any) -> int:
    """Four characters a token, at least one for any text (the reference server's estimate)."""
    return max(1, len(text) // 4) if text else 0
