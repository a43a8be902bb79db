"""Equivalent requests: chat requests that mean the same and are written differently.

Clients echo a reply in the shape in which they received it, and so the second turn of one
conversation is written in several ways, which have different digests. The canonical form has none
of these differences. It is a chat request itself, and its digest finds equivalent requests.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from workbench.core.digest import digest
from workbench.core.json.values import sorted_json
from workbench.core.requests.view import RequestView

_KEPT: Final = ("name", "tool_call_id", "tool_calls")
# Parts that no API counts: a client may leave them out when it echoes a reply.
_UNCOUNTED: Final = ("refusal", "thinking", "redacted_thinking", "reasoning")
_ORDINAL: Final = re.compile(r"call_\d+")


class Forms(NamedTuple):
    """Two forms of a request for comparison, as text or as digests.

    Attributes:
        form: the canonical form.
        without_ids: the canonical form with an ordinal for the id of each call. Equal to ``form``
            if the API or the client sends no ids.
    """

    form: str
    without_ids: str

    @property
    def have_ids(self) -> bool:
        """True if the calls of the request have ids of their own."""
        return self.form != self.without_ids

    def are_equivalent(self, other: Forms) -> bool:
        """True if two requests are equivalent. Ids of calls count if both requests have them."""
        if self.have_ids and other.have_ids:
            return self.form == other.form
        return self.without_ids == other.without_ids


def canonical_form(chat: Mapping[str, Any]) -> dict[str, Any]:
    """The common form of all equivalent chat requests.

    Only ``messages`` and ``tool_choice`` are rewritten; the other keys stay unchanged. Never fails:
    unknown values stay unchanged.
    """
    form = {**chat, "messages": _messages(chat.get("messages"))}
    choice = form.pop("tool_choice", None)
    if choice is not None:
        form["tool_choice"] = _without_nulls(choice)
    return form


def compared(
    first: Mapping[str, Any], second: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Two requests in canonical form, as they are compared: without ids of calls where one of them
    has none. They are equal if the requests are equivalent.
    """
    numbered = without_call_ids(first), without_call_ids(second)
    if numbered[0] == first or numbered[1] == second:
        return numbered
    return first, second


def form_digests(request: RequestView) -> Forms:
    """The digests of the canonical form of a request. Raises RequestError as ``request.digest``."""
    hashed = request.canonical
    form = canonical_form(hashed._asdict())
    is_canonical = form["messages"] == hashed.messages
    is_canonical = is_canonical and form.get("tool_choice") == hashed.tool_choice
    own = request.digest if is_canonical else digest(form)
    numbered = without_call_ids(form)
    return Forms(own, own if numbered == form else digest(numbered))


def without_call_ids(chat: Mapping[str, Any]) -> dict[str, Any]:
    """A request in canonical form with the ordinal of each call (``call_0``) instead of its id.

    Some clients do not send ids. Their requests are compared by this form.
    """
    ordinals = _Ordinals()
    messages = []
    for message in chat["messages"]:
        changed = dict(message)
        if isinstance(calls := message.get("tool_calls"), list):
            changed["tool_calls"] = list(map(ordinals.numbered, calls))
        if (answered := message.get("tool_call_id")) is not None:
            changed["tool_call_id"] = ordinals.answered(answered)
        messages.append(changed)
    return {**chat, "messages": messages}


class _Ordinals:
    """The ordinals of the calls of a conversation, and which calls have no result yet."""

    def __init__(self) -> None:
        self._count = 0
        # By the id that was sent. Some clients give one id to several calls.
        self._open: dict[str, list[str]] = {}
        self._last_answered: dict[str, str] = {}

    def numbered(self, call: Any) -> Any:
        """The next call, with its ordinal as its id."""
        ordinal = f"call_{self._count}"
        self._count += 1
        if not isinstance(call, dict):
            return call
        if (call_id := call.get("id")) is not None:
            self._open.setdefault(str(call_id), []).append(ordinal)
        return {**call, "id": ordinal}

    def answered(self, call_id: Any) -> Any:
        """The ordinal of the call for a result with this id: of several calls, the first without a
        result. If no call has the id, a string that no call gets.
        """
        key = str(call_id)
        if waiting := self._open.get(key):
            self._last_answered[key] = waiting.pop(0)
        if key in self._last_answered:
            return self._last_answered[key]
        return f"no {key}" if _ORDINAL.fullmatch(key) else call_id


def _messages(messages: object) -> list[dict[str, Any]]:
    if not isinstance(messages, list):
        return []
    forms = (message_form(message) for message in messages if isinstance(message, dict))
    return [message for message in forms if message is not None]


def message_form(message: dict[str, Any]) -> dict[str, Any] | None:
    """A message as all equivalent ones would be written; None for a message of the model that had
    only thoughts.
    """
    role, content = message.get("role"), message.get("content")
    kept = {key: message[key] for key in _KEPT if message.get(key) is not None}
    calls = kept.get("tool_calls")
    if calls == []:
        del kept["tool_calls"]
    elif isinstance(calls, list):
        kept["tool_calls"] = [_call(call) for call in calls]
    if role == "tool":
        kept.pop("name", None)
    if role != "assistant":
        content = _content(content)
    elif isinstance(content, list):
        if not content and not calls:
            return None
        content = _answer(content)
    if calls and content == "":
        content = None
    return {"role": role, "content": content, **kept}


def _content(content: object) -> object:
    """The content of a message: a list of one text is that text, and nothing is ""."""
    if content is None:
        return ""
    if not isinstance(content, list):
        return content
    match [_part(part) for part in content]:
        case []:
            return ""
        case [{"type": "text", "text": text}]:
            return text
        case parts:
            return parts


def _answer(content: list[Any]) -> object:
    """The text of the model: how it was cut into parts has no meaning."""
    parts = [_part(part) for part in content if not _is_uncounted(part)]
    if not parts:
        return None
    texts = [part["text"] for part in parts if isinstance(part, dict) and _is_text(part)]
    return "".join(texts) if len(texts) == len(parts) else parts


def _is_uncounted(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in _UNCOUNTED


def _is_text(part: dict[str, Any]) -> bool:
    return part.get("type") == "text" and isinstance(part.get("text"), str)


def _part(part: object) -> object:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if not isinstance(part, dict):
        return part
    if _is_text(part):
        return {"type": "text", "text": part["text"]}
    kept = _without_nulls({key: value for key, value in part.items() if key != "cache_control"})
    image = kept.get("image_url")
    if isinstance(image, dict) and image.get("detail") == "auto":
        kept["image_url"] = {key: value for key, value in image.items() if key != "detail"}
    return kept


def _call(call: object) -> object:
    if not isinstance(call, dict):
        return call
    call_id: dict[str, Any] = {} if call.get("id") is None else {"id": call["id"]}
    function, custom = call.get("function"), call.get("custom")
    if isinstance(function, dict):
        arguments = _arguments(function.get("arguments"))
        function = {"name": function.get("name"), "arguments": arguments}
        return {**call_id, "type": "function", "function": function}
    if isinstance(custom, dict):
        custom = {"name": custom.get("name"), "input": custom.get("input")}
        return {**call_id, "type": "custom", "custom": custom}
    return {key: value for key, value in call.items() if key != "index" and value is not None}


def _arguments(arguments: object) -> object:
    """JSON that is an object without blanks, its keys sorted; other text as it is."""
    if arguments is None or arguments == "":
        return "{}"
    try:
        text = arguments if isinstance(arguments, str) else sorted_json(arguments)
        value = json.loads(text, parse_float=_number, parse_constant=_refuse)
        if not isinstance(value, dict):
            return arguments
        rewritten = sorted_json(value)
        # The escape of half a character has no other form that can be hashed.
        rewritten.encode()
    except (ValueError, RecursionError):
        return arguments
    return rewritten


def _number(text: str) -> float:
    """2.0 is 2: in JSON they are equal, and clients write either."""
    number = float(text)
    if math.isinf(number):
        _refuse(text)
    return int(number) if number.is_integer() else number


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is not a JSON number")


def _without_nulls(value: Any) -> Any:
    """A value without keys that are null, at any depth of objects."""
    if not isinstance(value, dict):
        return value
    return {
        key: {k: v for k, v in item.items() if v is not None} if isinstance(item, dict) else item
        for key, item in value.items()
        if item is not None
    }
