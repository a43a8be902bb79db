"""Reading a reply of the API, plain or streamed, as the ``response`` of a fixture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.core.apis.chat.calls import Piece, put_together, read_piece, whole
from workbench.core.apis.reading import (
    Reading,
    ReplyObject,
    error_reply,
    fixture_response,
    read_stream,
    reply_object,
)
from workbench.core.apis.sse import is_stream
from workbench.core.json.values import json_type
from workbench.core.replies import fixture_form
from workbench.core.replies.fixture_form import USAGE_COUNTS, USAGE_DETAILS
from workbench.core.replies.response import NotAReplyError

FINISH_REASONS: Final = {reason: reason for reason in fixture_form.FINISH_REASONS}
# The names that upstreams give the text a model thinks before it answers; the last two are lists.
_REASONING: Final = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
_DETAILS: Final = {
    "reasoning_details": {"reasoning.text": "text", "reasoning.summary": "summary"},
    "thinking_blocks": {"thinking": "thinking"},
}
_TEXTS: Final = ("content", "refusal", *_REASONING, *_DETAILS)
# A line end is escaped in JSON text: this is the last event, not text that a reply quotes.
_END_EVENTS: Final = (b"\ndata: [DONE]", b"\ndata:[DONE]")
_TAIL: Final = 32

# Keys that are not part of the answer: metadata, which the server writes for each reply, and the
# results of filters.
_ABOUT_REPLY: Final = (
    *("id", "object", "created", "model", "system_fingerprint", "service_tier", "obfuscation"),
    *("provider", "prompt_filter_results"),
)
_ABOUT_CHOICE: Final = (
    *("index", "native_finish_reason", "content_filter_results", "content_filter_offsets"),
)
# Only the API can use signatures.
_ABOUT_DETAIL: Final = ("type", "id", "index", "format", "signature")


@dataclass
class _Message:
    """A message, to which pieces are added.

    Attributes:
        texts: the texts by their keys.
        calls: the pieces of calls in each frame.
    """

    texts: dict[str, str] = field(default_factory=lambda: dict.fromkeys(_TEXTS, ""))
    calls: list[list[Piece]] = field(default_factory=list)

    def add(self, message: ReplyObject, where: str) -> None:
        """Add all of a message or a delta."""
        message.skip(("role",))
        self._add_content(message, where)
        for key in ("refusal", *_REASONING):
            self.texts[key] += message.text(key)
        for key, kinds in _DETAILS.items():
            self._add_details(message, key, kinds)
        calls = message.take("tool_calls") or []
        if not isinstance(calls, list):
            raise NotAReplyError(f"{where}: tool_calls is {json_type(calls)}, not a list")
        for place, call in enumerate(calls):
            if not isinstance(call, dict):
                at = f"{where}: tool_calls[{place}]"
                raise NotAReplyError(f"{at} is {json_type(call)}, not an object")
        self.calls.append([read_piece(message.inner(call, "tool_calls."), where) for call in calls])

    def _add_content(self, message: ReplyObject, where: str) -> None:
        content = message.take("content")
        if isinstance(content, str):
            self.texts["content"] += content
        elif isinstance(content, list | dict):
            for part in content if isinstance(content, list) else [content]:
                self._add_part(part, message, where)
        elif content is not None:
            raise NotAReplyError(f"{where}: content is {json_type(content)}, not a string")

    def _add_part(self, value: Any, message: ReplyObject, where: str) -> None:
        """Add a part of the content, as some upstreams cut it."""
        if isinstance(value, str):
            self.texts["content"] += value
            return
        if not isinstance(value, dict):
            raise NotAReplyError(f"{where}: content has {json_type(value)} for a part")
        kind = value.get("type")
        if kind not in ("text", "output_text", "thinking", "refusal"):
            message.leave(f"{kind or 'unknown'} parts")
            return
        part = message.inner(value, "content.")
        part.skip(_ABOUT_DETAIL)
        if kind == "thinking":
            self.texts["thinking"] += part.text("thinking")
            for inner in part.objects("thinking", "content.thinking."):
                self.texts["thinking"] += inner.text("text")
                inner.skip(("type",))
            return
        key = "refusal" if kind == "refusal" else "text"
        self.texts["refusal" if kind == "refusal" else "content"] += part.text(key)

    def _add_details(self, message: ReplyObject, key: str, kinds: dict[str, str]) -> None:
        for detail in message.objects(key, f"{key}."):
            kind = str(detail.take("type") or key)
            if kind in kinds:
                self.texts[key] += detail.text(kinds[kind])
                detail.skip(_ABOUT_DETAIL)
            else:
                detail.take_all()
                message.leave(kind)

    def response(
        self, finish_reason: str | None, usage: dict[str, Any], calls: list[dict[str, Any]]
    ) -> dict[str, Any]:
        spelled = [self.texts[key] for key in (*_REASONING, *_DETAILS)]
        return fixture_response(
            self.texts["content"],
            calls,
            finish_reason or ("tool_calls" if calls else "stop"),
            usage,
            refusal=self.texts["refusal"],
            reasoning=next(filter(None, spelled), ""),
        )

    @property
    def says_something(self) -> bool:
        return any(self.texts.values()) or any(self.calls)

    @property
    def other_reasoning(self) -> Iterator[str]:
        """The keys of reasoning whose content differs from the first one."""
        spelled = {key: text for key in (*_REASONING, *_DETAILS) if (text := self.texts[key])}
        return (key for key, text in spelled.items() if text != next(iter(spelled.values())))


@dataclass
class _Choice:
    """A choice, to which frames are added.

    Attributes:
        repeated: a message beside the deltas: some upstreams repeat the message so far in each
            frame; others send only this.
    """

    deltas: _Message = field(default_factory=_Message)
    repeated: _Message | None = None
    finish_reason: str | None = None

    def add(self, choice: ReplyObject, where: str) -> None:
        choice.skip(_ABOUT_CHOICE)
        if error := choice.take("error"):
            raise error_reply(error, where)
        self.finish_reason = choice.text("finish_reason") or self.finish_reason
        if self.finish_reason == "error":
            raise NotAReplyError(f"{where} is an error, according to its finish_reason")
        if choice.is_object("message"):
            self.repeated = _Message()
            self.repeated.add(choice.mapping("message"), where)
        self.deltas.add(choice.mapping("delta"), where)

    def response(self, usage: dict[str, Any], *, is_plain: bool, as_client: bool) -> dict[str, Any]:
        """The choice as the ``response`` of a fixture. Raises NotAReplyError."""
        calls = put_together(self.deltas.calls, as_client=as_client)
        summed = self.deltas.response(self.finish_reason, usage, calls)
        if self.repeated is None:
            return summed
        calls = whole(piece for pieces in self.repeated.calls for piece in pieces)
        repeated = self.repeated.response(self.finish_reason, usage, calls)
        if is_plain or not self.deltas.says_something:
            return repeated
        if self.repeated.says_something and summed != repeated:
            raise NotAReplyError("the pieces of the stream differ from its last message")
        return summed


def read(content_type: str, body: bytes, *, as_client: bool = False) -> Reading:
    """A reply as the ``response`` of a fixture. Of several choices the first one counts.

    Args:
        as_client: put calls together as the official client does.

    Raises:
        NotAReplyError: it is an error, not a chat completion, a stream that broke off, or its
            pieces do not fit together.
    """
    is_plain = not is_stream(content_type, body)
    if is_plain:
        frames, is_done = [("the body", ReplyObject(reply_object(body, "the body")))], True
    else:
        events, is_done = read_stream(body)
        frames = [(event.where, event.data) for event in events]
    usage: dict[str, Any] = {}
    choices: list[tuple[int, str, ReplyObject]] = []
    for where, frame in frames:
        usage = _beside_choices(frame, where) or usage
        for place, item in enumerate(frame.objects("choices")):
            usage = _usage(item) or usage  # some upstreams have it there
            index = item.count("index")
            choices.append((place if index is None else index, where, item))
    choice, further = _first_choice(choices)
    if is_plain and choice.repeated is None:
        raise NotAReplyError("the body is not a chat completion: it has no choices[0].message")
    if choice.finish_reason is None and not (is_done and choices):
        raise NotAReplyError("the stream broke off: no frame has a finish_reason")
    response = choice.response(usage, is_plain=is_plain, as_client=as_client)
    return Reading.of(response, [*(frame for _, frame in frames), further])


def _beside_choices(frame: ReplyObject, where: str) -> dict[str, Any]:
    """The usage, if a frame has it beside its choices. Raises NotAReplyError for an error."""
    groq = frame.mapping("x_groq", "x_groq.")
    groq.skip(("id",))
    error = groq.take("error")
    if not frame.is_given("choices"):
        error = error or frame.text("message") or frame.peek("detail")
    if error:
        raise error_reply(error, where)
    frame.skip(_ABOUT_REPLY)
    return _usage(frame) or _usage(groq)


def _first_choice(choices: list[tuple[int, str, ReplyObject]]) -> tuple[_Choice, ReplyObject]:
    """The choice with the lowest number, and what is left out beside it."""
    choice, further = _Choice(), ReplyObject({})
    first = min((number for number, *_ in choices), default=0)
    for number, where, item in choices:
        if number == first:
            choice.add(item, where)
        else:
            item.take_all()
            further.leave("further choices")
    for message in filter(None, (choice.deltas, choice.repeated)):
        for key in message.other_reasoning:
            further.leave(key)
    return choice, further


def _usage(frame: ReplyObject) -> dict[str, Any]:
    if not frame.has("usage"):
        return {}
    usage = frame.mapping("usage", "usage.")
    usage.skip(("total_tokens",))
    counts = {key: count for key in USAGE_COUNTS if (count := usage.count(key)) is not None}
    details = {key: usage.take(key) for key in USAGE_DETAILS if usage.is_object(key)}
    return {**counts, **details}


def ends_stream(body: bytes | bytearray) -> bool:
    """True if the last event of a stream was received, after which clients may close it."""
    return body[-_TAIL:].rstrip().endswith(_END_EVENTS)
