"""Reading the bodies of replies: what is the same whatever the API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from workbench.core.apis import eventstream, sse
from workbench.core.json.values import compact, decoded, json_type, mapping, string
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.messages import chat_call

_DONE: Final = "[DONE]"
_BLANK: Final = b" \t\r\n"


class ReplyObject:
    """One JSON object of a reply, and the objects inside it.

    Args:
        value: the object; any other value counts as an empty one.
        prefix: added before the names of its keys.
    """

    def __init__(self, value: object, prefix: str = "") -> None:
        self._rest = dict(mapping(value))
        self._prefix = prefix
        self._inner: list[ReplyObject] = []

    def has(self, key: str) -> bool:
        """True if a key has a value that was not taken."""
        return bool(self._rest.get(key))

    def is_given(self, key: str) -> bool:
        """True if the key exists, even without a value."""
        return key in self._rest

    def has_any(self) -> bool:
        """True if a key with a value is left."""
        return any(self._rest.values())

    def peek(self, key: str) -> Any:
        """The value of a key, which is not taken by that."""
        return self._rest.get(key)

    def take(self, key: str) -> Any:
        """The value of a key; None if there is none."""
        return self._rest.pop(key, None)

    def text(self, key: str) -> str:
        """The text of a key. Anything else is left, and counts as ""."""
        value = self._rest.get(key)
        return self._rest.pop(key) if isinstance(value, str) else ""

    def count(self, key: str) -> int | None:
        """The whole number of a key. Anything else is left, and counts as None."""
        value = self._rest.get(key)
        if type(value) is int or (isinstance(value, float) and value.is_integer()):
            return int(self._rest.pop(key))
        return None

    def mapping(self, key: str, prefix: str = "") -> ReplyObject:
        """The object of a key. Anything else is left, and counts as an empty one."""
        return self.inner(self._rest.pop(key), prefix) if self.is_object(key) else ReplyObject({})

    def is_object(self, key: str) -> bool:
        return isinstance(self._rest.get(key), dict)

    def objects(self, key: str, prefix: str = "") -> list[ReplyObject]:
        """The objects in the list of a key. Other values are left."""
        value = self._rest.get(key)
        if not isinstance(value, list):
            return []
        self._rest[key] = [item for item in value if not isinstance(item, dict)]
        return [self.inner(item, prefix) for item in value if isinstance(item, dict)]

    def inner(self, value: object, prefix: str = "") -> ReplyObject:
        """An object that was taken from this one; its remaining keys are reported as well."""
        inner = ReplyObject(value, prefix)
        self._inner.append(inner)
        return inner

    def skip(self, keys: Iterable[str]) -> None:
        """Take keys that no client uses."""
        for key in keys:
            self._rest.pop(key, None)

    def take_all(self) -> dict[str, Any]:
        """All that is left of it."""
        values, self._rest, self._inner = self._rest, {}, []
        return values

    def leave(self, name: str) -> None:
        """Name something that was read and has no place in a fixture."""
        self._inner.append(ReplyObject({name: True}))

    def left(self) -> Iterator[str]:
        """The names of what was not taken, except that without a value: null, empty or zero."""
        yield from (f"{self._prefix}{key}" for key, value in self._rest.items() if value)
        for inner in self._inner:
            yield from inner.left()


class Reading(NamedTuple):
    """The content of a reply.

    Attributes:
        response: the ``response`` of a fixture with the same answer.
        left_out: the parts that a fixture cannot contain, each once, in the order seen.
    """

    response: dict[str, Any]
    left_out: list[str]

    @classmethod
    def of(cls, response: dict[str, Any], objects: Iterable[ReplyObject]) -> Reading:
        """A reply that was read from ``objects``."""
        return cls(response, list(dict.fromkeys(name for o in objects for name in o.left())))


class StreamEvent(NamedTuple):
    """An event of a stream whose data is an object.

    Attributes:
        where: the place, for messages, such as ``frame 3``.
        kind: the ``type`` in its data, else the value of its ``event:`` line, else "".
    """

    where: str
    kind: str
    data: ReplyObject


class Stream(NamedTuple):
    """The events of a stream; ``is_done`` if ``[DONE]`` ends it."""

    events: list[StreamEvent]
    is_done: bool


def read_stream(body: bytes, name: str = "frame") -> Stream:
    """The events of a stream, up to ``[DONE]``; ``name`` is what messages call one.

    Raises:
        NotAReplyError: an event is an error or not an object, or something is not an event.
    """
    body = body.lstrip(_BLANK)
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotAReplyError(f"byte {error.start} of the stream cannot be read") from None
    if stray := sse.stray_line(text):
        raise NotAReplyError(f"a line of the stream is not part of an event: {stray[:100]}")
    events: list[StreamEvent] = []
    for number, event in enumerate(sse.events(body)):
        if event.data.strip() == _DONE:
            return Stream(events, is_done=True)
        if event.data.strip():
            events.append(_read_event(event, f"{name} {number}"))
    field, _, data = sse.unended(text).partition(":")
    is_done = (field, data.strip()) == ("data", _DONE)
    if field and not is_done:
        raise NotAReplyError("the stream broke off in its last event")
    return Stream(events, is_done)


def read_messages(body: bytes) -> list[StreamEvent]:
    """The events of an AWS event stream. A chunk has the kind that its JSON names.

    Raises:
        NotAReplyError: a message is an error, no object or damaged, or the last one is cut.
    """
    events: list[StreamEvent] = []
    for number, frame in enumerate(eventstream.frames(body)):
        where = f"event {number}"
        if (message := eventstream.decoded(frame)) is None:
            raise NotAReplyError(f"the stream broke off in {where}, or that is damaged")
        if message.is_exception:
            raise error_reply(_exception(message), where)
        value = reply_object(message.data, where)
        kind = string(value.get("type")) if message.kind == "chunk" else message.kind
        events.append(StreamEvent(where, kind, ReplyObject(value)))
    return events


def _exception(message: eventstream.EventMessage) -> str:
    """The name and the message of an error in a stream."""
    value = decoded(message.payload.decode("utf-8", "replace"))
    text = mapping(value).get("message") or message.headers.get(":error-message") or value
    return f"{message.kind or message.headers.get(':error-code', 'error')}: {text}"


def _read_event(event: sse.Event, where: str) -> StreamEvent:
    if event.kind == "error":
        try:
            value = mapping(json.loads(event.data))
        except (ValueError, RecursionError):
            value = {}
        raise error_reply(value.get("error") or value or event.data, where)
    value = reply_object(event.data, where)
    if "error" in (value.get("type"), value.get("object")):
        raise error_reply(value, where)
    return StreamEvent(where, string(value.get("type")) or event.kind, ReplyObject(value))


def reply_object(text: bytes | str, where: str) -> dict[str, Any]:
    """The JSON object in a body, or in the data of an event; ``where`` names it in messages, as
    ``the body`` or ``frame 3``. Raises NotAReplyError if it is something else, or an error.
    """
    return checked_object(json_value(text, where), where)


def json_value(text: bytes | str, where: str) -> Any:
    """The JSON value in ``text``. Raises NotAReplyError if there is none."""
    if not text:
        raise NotAReplyError(f"{where} is empty")
    try:
        return json.loads(text)
    except UnicodeDecodeError as error:
        raise NotAReplyError(f"{where} is not JSON: byte {error.start} cannot be read") from None
    except (ValueError, RecursionError) as error:
        raise NotAReplyError(f"{where} is not JSON: {error}") from None


def checked_object(value: object, where: str) -> dict[str, Any]:
    """``value``. Raises NotAReplyError if it is not an object, or an error."""
    if not isinstance(value, dict):
        raise NotAReplyError(f"{where} is {json_type(value)}, not an object")
    if error := value.get("error"):
        raise error_reply(error, where)
    return value


def error_reply(error: object, where: str) -> NotAReplyError:
    """The exception for an error, which may be an object or a string; a long one is cut."""
    message = mapping(error).get("message") or error
    return NotAReplyError(f"{where} is an error: {str(message)[:200]}")


def arguments_text(value: object) -> str:
    """The arguments of a call, which APIs send as text or as a value, as text."""
    return value if isinstance(value, str) else compact({} if value is None else value)


def call_with_input(block: ReplyObject, id_key: str) -> dict[str, Any]:
    """The call of a block that has its arguments as a value, under ``input``."""
    arguments = arguments_text(block.take("input"))
    return chat_call(block.take(id_key), block.take("name"), arguments)


def usage_beside_cache(
    usage: ReplyObject, prompt: str, completion: str, *, cached: str, written: str
) -> dict[str, Any]:
    """The counts of an API whose count of the prompt lacks the tokens that were read from a cache
    or written to one. In chat they are tokens of the prompt.

    Args:
        prompt, completion, cached, written: the keys of the counts.
    """
    prompt_tokens, completion_tokens = usage.count(prompt), usage.count(completion)
    cached_tokens, written_tokens = usage.count(cached) or 0, usage.count(written) or 0
    if written_tokens:
        usage.leave(f"usage.{written}")
    counts: dict[str, Any] = {}
    if prompt_tokens is not None:
        counts["prompt_tokens"] = prompt_tokens + cached_tokens + written_tokens
    if completion_tokens is not None:
        counts["completion_tokens"] = completion_tokens
    if cached_tokens:
        counts["prompt_tokens_details"] = {"cached_tokens": cached_tokens}
    return counts


def fixture_response(
    content: str,
    calls: Iterable[Mapping[str, Any]],
    finish_reason: Any,
    usage: Mapping[str, Any],
    *,
    refusal: str,
    reasoning: str,
) -> dict[str, Any]:
    """The ``response`` of a fixture, without the keys that have no value. Each call gets an
    ``index``, which streaming clients of the chat API need.
    """
    response = {
        "content": content,
        "tool_calls": [{"index": index, **call} for index, call in enumerate(calls)],
        "finish_reason": finish_reason,
        "usage": usage,
        "refusal": refusal,
        "reasoning": reasoning,
    }
    needed = ("content", "finish_reason")
    return {key: value for key, value in response.items() if value or key in needed}
