"""Read fixtures of aimock: answers, each with conditions on its requests.

The format is described in https://github.com/CopilotKit/aimock (``src/types.ts``). The conditions
are evaluated as in its ``src/router.ts``, with ``turnIndex`` as under ``AIMOCK_STRICT_TURN_INDEX``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

from workbench.core.formats import FormatError, checked
from workbench.core.imports.captures import CaptureError, json_bytes
from workbench.core.json.values import json_type, mapping
from workbench.core.requests.messages import INSTRUCTION_ROLES, Message
from workbench.core.requests.view import RequestView

# Keys of an entry that make aimock break its reply; other such keys are about timing.
_BREAKING: Final = ("chaos", "truncateAfterChunks", "disconnectAfterMs")


class _Format(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")

    @property
    def others(self) -> list[str]:
        """The keys that we do not read."""
        return [key for key, value in (self.model_extra or {}).items() if value is not None]


class Conditions(_Format):
    """The conditions of a fixture; None for those it does not have."""

    user: str | None = Field(None, alias="userMessage")
    system: list[str] | None = Field(None, alias="systemMessage")
    tool_call_id: str | None = Field(None, alias="toolCallId")
    tool_result: str | None = Field(None, alias="toolResultContains")
    tool: str | None = Field(None, alias="toolName")
    model: str | None = None
    output: str | None = Field(None, alias="responseFormat")
    turn: int | None = Field(None, alias="turnIndex")
    sequence: int | None = Field(None, alias="sequenceIndex")
    has_result: bool | None = Field(None, alias="hasToolResult")
    endpoint: str = "chat"
    embedded: str | None = Field(None, alias="inputText")

    @field_validator("system", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @property
    def is_chat(self) -> bool:
        return self.endpoint == "chat" and self.embedded is None

    def fits(self, request: RequestView, messages: Sequence[Message]) -> bool:
        """True if a request with these of its messages meets all supported conditions but
        ``sequenceIndex``.
        """
        texts = [text for m in messages if m.role == "user" and (text := _text(m)) is not None]
        system = "\n".join(_text(m) or "" for m in messages if m.role in INSTRUCTION_ROLES)
        last = messages[-1] if messages and messages[-1].role == "tool" else None
        answered_call, result = (last.tool_call_id, _text(last)) if last else (None, None)
        turn = takewhile(lambda message: message.role != "user", messages[::-1])
        return self.is_chat and all(
            (
                self.user is None or (bool(texts) and self.user in texts[-1]),
                not self.system or (bool(system) and all(part in system for part in self.system)),
                self.tool_call_id in (None, answered_call),
                self.tool_result is None or (result is not None and self.tool_result in result),
                self.tool is None or any(tool.name == self.tool for tool in request.tools),
                self.model is None or _is_model(request.model, self.model),
                self.output in (None, request.output_format.kind),
                self.turn in (None, sum(m.role == "assistant" for m in messages)),
                self.has_result in (None, any(message.role == "tool" for message in turn)),
            )
        )


class AimockCall(_Format):
    """A call of a tool, its arguments as JSON once they are read."""

    name: str
    arguments: Any
    id: str | None = None


class _Error(_Format):
    message: str
    type: str | None = None
    code: str | None = None


class _Response(_Format):
    content: Any = None
    calls: list[AimockCall] | None = Field(None, alias="toolCalls")
    reasoning: str | None = None
    finish_reason: str | None = Field(None, alias="finishReason")
    error: _Error | None = None
    status: int = 500
    retry_after: int | None = Field(None, alias="retryAfter")


@dataclass(slots=True)
class AimockFixture:
    """One fixture.

    Attributes:
        place: of its entry in the file, for messages.
        match: its conditions; None if they cannot be read.
        response: of our fixture, without its calls.
        reason: why nothing is made of it; "" where something is.
        left_out: the keys of its response that are not taken.
    """

    place: str
    match: Conditions | None = None
    response: dict[str, Any] = field(default_factory=dict)
    calls: list[AimockCall] = field(default_factory=list)
    reason: str = ""
    left_out: list[str] = field(default_factory=list)

    @property
    def is_in_sequence(self) -> bool:
        """True if it answers one of several requests."""
        return self.match is not None and self.match.sequence is not None

    @property
    def group(self) -> str:
        """The same text for fixtures that differ in ``sequenceIndex`` only: aimock counts their
        requests together.
        """
        return "" if self.match is None else repr(self.match.model_copy(update={"sequence": None}))


def is_aimock(value: Any) -> bool:
    """True if the content of a file has the format of aimock's fixtures."""
    return isinstance(value, dict) and "fixtures" in value


def fixtures(value: Any) -> list[AimockFixture]:
    """The fixtures of a file, in its order.

    Args:
        value: the content, for which ``is_aimock`` is true.

    Raises:
        CaptureError: the fixtures are not a list.
    """
    entries = value["fixtures"]
    if not isinstance(entries, list):
        raise CaptureError(f"fixtures is {json_type(entries)}, not a list")
    read = []
    for number, entry in enumerate(entries):
        fixture = AimockFixture(f"fixtures[{number}]")
        try:
            _read(fixture, entry)
        except (CaptureError, FormatError) as error:
            fixture.reason = str(error)
        read.append(fixture)
    return read


def sequence(answers: Sequence[AimockFixture], request: RequestView) -> list[AimockFixture]:
    """The fixtures that answer a request: the first time, the second time, and so on. Empty if no
    fixture fits.
    """
    counts: Counter[str] = Counter()
    if any(fixture.is_in_sequence for fixture in answers):
        for number, message in enumerate(request.messages):
            if message.role == "assistant":  # of an earlier request of the conversation
                _answer(answers, request, request.messages[:number], counts)
    answering = []
    while fixture := _answer(answers, request, request.messages, counts):
        answering.append(fixture)
        if not fixture.is_in_sequence:
            break
    return answering


def _answer(
    answers: Sequence[AimockFixture],
    request: RequestView,
    messages: Sequence[Message],
    counts: Counter[str],
) -> AimockFixture | None:
    """The fixture that answers a request with these messages.

    Args:
        counts: how many requests each group has answered; this one is added.
    """
    for fixture in answers:
        match = fixture.match
        if match is None or not match.fits(request, messages):
            continue
        if match.sequence in (None, counts[fixture.group]):
            counts[fixture.group] += fixture.is_in_sequence
            return fixture
    return None


def _read(fixture: AimockFixture, entry: Any) -> None:
    """Read an entry. Its conditions are read first, because they exclude requests from later
    entries even if the answer of this entry cannot be used.
    """
    if not isinstance(entry, dict):
        raise CaptureError(f"it is {json_type(entry)}, not an object")
    fixture.match = match = checked(Conditions, entry.get("match"), "match")
    if not match.is_chat:
        raise CaptureError("it does not answer chat requests")
    if match.others:
        raise CaptureError(f"match.{match.others[0]} cannot be checked in a log")
    if breaking := [key for key in _BREAKING if entry.get(key) is not None]:
        raise CaptureError(f"{breaking[0]} damages the reply on purpose")
    response = checked(_Response, mapping(entry.get("response")), "response")
    nested = [f"toolCalls.{name}" for call in response.calls or () for name in call.others]
    nested += [f"error.{name}" for name in response.error.others] if response.error else []
    fixture.left_out = list(dict.fromkeys([*response.others, *nested]))
    if response.error is not None:
        fixture.response = {"error": _error(response, response.error)}
        return
    if response.content is None and not response.calls:
        raise CaptureError("response has neither content nor toolCalls nor an error")
    taken = {
        "content": _json(response.content, "response.content"),
        "finish_reason": response.finish_reason or (None if response.calls else "stop"),
        "reasoning": response.reasoning,
    }
    fixture.response = {key: text for key, text in taken.items() if text is not None}
    for number, call in enumerate(response.calls or ()):
        where = f"response.toolCalls[{number}].arguments"
        call.arguments = _json(call.arguments, where) or "{}"
        fixture.calls.append(call)


def _error(response: _Response, error: _Error) -> dict[str, Any]:
    if not 400 <= response.status <= 599:
        raise CaptureError(f"response.status is {response.status}, not one of an error")
    values = error.model_dump(include={"message", "type", "code"}, exclude_none=True)
    seconds = {} if response.retry_after is None else {"retry_after": response.retry_after}
    return {"status": response.status, **values, **seconds}


def _json(value: Any, where: str) -> str | None:
    """A text; aimock writes objects and lists as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return json_bytes(value, where).decode("utf-8", "surrogatepass")
    raise CaptureError(f"{where} should be a string, not {json_type(value)}")


def _text(message: Message) -> str | None:
    """The text of a message; None if it has no part that is text."""
    texts = [part.text for part in message.parts if part.kind == "text"]
    return "".join(texts) if texts else None


def _is_model(requested: str, model: str) -> bool:
    """True if the model is ``model`` or a version of it, with a date or number."""
    return bool(re.fullmatch(re.escape(model) + r"(-\d.*)?", requested, re.DOTALL))
