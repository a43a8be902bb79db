"""The bodies of replies: what is read in the same way whatever the API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from workbench.core.apis import sse
from workbench.core.apis.given import Given
from workbench.core.digest import json_type
from workbench.core.json.values import mapping, string
from workbench.core.replies.response import NotAReplyError

_DONE: Final = "[DONE]"
_BLANK: Final = b" \t\r\n"
# How many bytes of a body say what it is.
_BEGINNING: Final = 1024
_EVENT: Final = re.compile(rb"(?:data|event|id|retry)?:|(?:data|event|id|retry)[\r\n]")


class Reading(NamedTuple):
    """What a reply says.

    Attributes:
        response: of a fixture that answers the same.
        left_out: the names of what no fixture holds, each once, in the order seen.
    """

    response: dict[str, Any]
    left_out: list[str]


class Event(NamedTuple):
    """An event of a stream whose data is an object.

    Attributes:
        where: names it in messages, as ``frame 3``.
        kind: the ``type`` in its data or, without one, what its ``event:`` line says; "" where
            neither does.
    """

    where: str
    kind: str
    data: Given


class Stream(NamedTuple):
    """The events of a stream; ``is_done`` if ``[DONE]`` ends it."""

    events: list[Event]
    is_done: bool


def is_stream(content_type: str, body: bytes) -> bool:
    """Whether a body is a stream of events. How it begins counts for more than its type, which
    some upstreams leave out and recordings lose.
    """
    start = body[:_BEGINNING].removeprefix(b"\xef\xbb\xbf").lstrip(_BLANK)
    if start.startswith((b"{", b"[")):
        return False
    if _EVENT.match(start):
        return True
    return content_type.partition(";")[0].strip().lower() == "text/event-stream"


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
    found: list[Event] = []
    for number, event in enumerate(sse.events(body)):
        if event.data.strip() == _DONE:
            return Stream(found, is_done=True)
        if event.data.strip():
            found.append(_read_event(event, f"{name} {number}"))
    field, _, data = sse.unended(text).partition(":")
    is_done = (field, data.strip()) == ("data", _DONE)
    if field and not is_done:
        raise NotAReplyError("the stream broke off in its last event")
    return Stream(found, is_done)


def _read_event(event: sse.Event, where: str) -> Event:
    if event.kind == "error":
        try:
            value = mapping(json.loads(event.data))
        except (ValueError, RecursionError):
            value = {}
        raise error_reply(value.get("error") or value or event.data, where)
    value = reply_object(event.data, where)
    if "error" in (value.get("type"), value.get("object")):
        raise error_reply(value, where)
    return Event(where, string(value.get("type")) or event.kind, Given(value))


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
    """What to raise for an error, which may be an object or a text, cut where it is long."""
    message = mapping(error).get("message") or error
    return NotAReplyError(f"{where} is an error: {str(message)[:200]}")


def reading(response: dict[str, Any], objects: Iterable[Given]) -> Reading:
    """A reply that was read from ``objects``.

    Raises:
        NotAReplyError: nothing of what it says has a place in a fixture.
    """
    left_out = list(dict.fromkeys(name for given in objects for name in given.left()))
    return Reading(response, left_out)


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
    given = {
        "content": content,
        "tool_calls": [{"index": index, **call} for index, call in enumerate(calls)],
        "finish_reason": finish_reason,
        "usage": usage,
        "refusal": refusal,
        "reasoning": reasoning,
    }
    needed = ("content", "finish_reason")
    return {key: value for key, value in given.items() if value or key in needed}


def compact(value: object) -> str:
    """JSON without blanks that are not needed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def compact_bytes(value: object) -> bytes:
    return encoded(compact(value))


def indented(value: object, indent: int = 2) -> bytes:
    """JSON on several lines, as a body."""
    return encoded(json.dumps(value, ensure_ascii=False, indent=indent)) + b"\n"


def encoded(text: str) -> bytes:
    # A lone surrogate has no UTF-8 form; its JSON escape is what backslashreplace writes.
    return text.encode("utf-8", "backslashreplace")
