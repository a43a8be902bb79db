"""The bodies of replies: what is read in the same way whatever the API."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from workbench.core.digest import json_type
from workbench.core.json.values import mapping
from workbench.core.replies.response import NotAReplyError


def is_stream(content_type: str) -> bool:
    """Whether a body of this type is a stream of events."""
    return content_type.partition(";")[0].strip().lower() == "text/event-stream"


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


def unknown_keys(value: object, known: Collection[str], prefix: str = "") -> Iterator[str]:
    """The keys of an object that are not ``known``, except those without a value: null, empty or
    zero.
    """
    return (f"{prefix}{key}" for key, given in mapping(value).items() if given and key not in known)


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
