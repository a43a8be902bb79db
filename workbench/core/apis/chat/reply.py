"""Reading a reply of the API, plain or streamed, as the ``response`` of a fixture."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from workbench.core.apis import sse
from workbench.core.apis.bodies import fixture_response, is_stream, reply_object, unknown_keys
from workbench.core.digest import json_type
from workbench.core.json.values import mapping, mappings, sequence, string
from workbench.core.replies.response import USAGE_COUNTS, USAGE_DETAILS, USAGE_KEYS, NotAReplyError

# The names that upstreams give the text a model thinks before it answers.
_REASONING: Final = ("reasoning_content", "reasoning")
_END: Final = "[DONE]"
# A line end is escaped in JSON text: this is the last event, not text that a reply quotes.
_END_EVENTS: Final = (b"\ndata: [DONE]", b"\ndata:[DONE]")
_TAIL: Final = 32

# Keys about the reply itself, which the server writes for each reply that it sends.
_KNOWN_IN_REPLY: Final = frozenset(
    {
        *("id", "object", "created", "model", "choices", "usage", "system_fingerprint"),
        *("service_tier", "obfuscation"),
    }
)
_KNOWN_IN_CHOICE: Final = frozenset({"index", "message", "delta", "finish_reason"})
_KNOWN_IN_MESSAGE: Final = frozenset({"role", "content", "tool_calls", "refusal", *_REASONING})
_KNOWN_IN_USAGE: Final = frozenset(USAGE_KEYS)
# What is called, by the kind of the tool, and the key of its text, which a stream has in pieces.
_GROWING: Final = {"function": "arguments", "custom": "input"}


def read_reply(content_type: str, body: bytes) -> dict[str, Any]:
    """The ``response`` of a fixture that answers the same.

    Of several choices the first one counts.

    Raises:
        NotAReplyError: it is an error, not a chat completion, or a stream that broke off.
    """
    if is_stream(content_type):
        return _of_stream(body)
    value = reply_object(body, "the body")
    choice = _first_choice(value)
    if choice is None or not isinstance(choice.get("message"), dict):
        raise NotAReplyError("the body is not a chat completion: it has no choices[0].message")
    return _response(choice["message"], choice.get("finish_reason"), value.get("usage"))


def _of_stream(body: bytes) -> dict[str, Any]:
    message: dict[str, Any] = {"content": "", "tool_calls": []}
    finish_reason = usage = None
    for number, chunk in enumerate(_chunks(body)):
        usage = chunk.get("usage") or usage
        choice = _first_choice(chunk)
        if choice is None:
            continue
        if isinstance(choice.get("delta"), dict):
            _add(message, choice["delta"], f"frame {number}")
        finish_reason = choice.get("finish_reason") or finish_reason
    if finish_reason is None:
        raise NotAReplyError("the stream broke off: no frame has a finish_reason")
    return _response(message, finish_reason, usage)


def _chunks(body: bytes) -> Iterator[dict[str, Any]]:
    """The chunks of a stream."""
    for number, (_, data) in enumerate(sse.events(body)):
        if data == _END:
            return
        yield reply_object(data, f"frame {number}")


def _add(message: dict[str, Any], delta: dict[str, Any], where: str) -> None:
    for key in ("content", "refusal", *_REASONING):
        if isinstance(delta.get(key), str):
            message[key] = (message.get(key) or "") + delta[key]
    for place, part in enumerate(sequence(delta.get("tool_calls"))):
        if not isinstance(part, dict):
            raise NotAReplyError(
                f"{where}: tool_calls[{place}] is {json_type(part)}, not an object"
            )
        _add_call(message["tool_calls"], part, part.get("index", place), where)


def _add_call(calls: list[dict[str, Any]], part: dict[str, Any], index: Any, where: str) -> None:
    """Add a part of a call: the first is the call itself, later ones bring more of its text and,
    from some upstreams, what the first lacks.
    """
    call = next((call for call in calls if call["index"] == index), None)
    if call is None:
        call = {"index": index}
        calls.append(call)
    call |= {k: v for k, v in part.items() if v and k not in ("index", *_GROWING)}
    for kind, key in _GROWING.items():
        called = part.get(kind)
        if isinstance(called, dict):
            more = called.get(key) or ""
            if not isinstance(more, str):
                raise NotAReplyError(f"{where}: {key} is {json_type(more)}, not a string")
            known = call.setdefault(kind, {"name": "", key: ""})
            known |= {k: v for k, v in called.items() if v and k != key}
            known[key] += more


def _response(message: dict[str, Any], finish_reason: Any, usage: Any) -> dict[str, Any]:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise NotAReplyError(f"tool_calls is {json_type(calls)}, not a list")
    return fixture_response(
        message.get("content") or "",
        [_call(call, f"tool_calls[{index}]") for index, call in enumerate(calls)],
        finish_reason,
        _usage(mapping(usage)),
        refusal=string(message.get("refusal")),
        reasoning=next(filter(None, (string(message.get(key)) for key in _REASONING)), ""),
    )


def _usage(given: dict[str, Any]) -> dict[str, Any]:
    counts = {key: given[key] for key in USAGE_COUNTS if isinstance(given.get(key), int)}
    details = {key: given[key] for key in USAGE_DETAILS if isinstance(given.get(key), dict)}
    return {**counts, **details}


def _call(call: Any, where: str) -> dict[str, Any]:
    if not isinstance(call, dict):
        raise NotAReplyError(f"{where} is {json_type(call)}, not an object")
    rest = {key: value for key, value in call.items() if key not in ("index", "id", "type")}
    return {"id": call.get("id"), "type": call.get("type") or "function", **rest}


def _first_choice(value: dict[str, Any]) -> dict[str, Any] | None:
    choices = mappings(value.get("choices"))
    return next((choice for choice in choices if choice.get("index", 0) == 0), None)


def ends_stream(body: bytes | bytearray) -> bool:
    """Whether the last event of a stream was received: clients may close it then."""
    return body[-_TAIL:].rstrip().endswith(_END_EVENTS)


def left_out(content_type: str, body: bytes) -> list[str]:
    """The keys of a whole reply that no fixture holds, each once, in the order seen; those without
    a value (null, empty) are not named.
    """
    values = _chunks(body) if is_stream(content_type) else [json.loads(body)]
    return list(dict.fromkeys(name for value in values for name in _unknown(value)))


def _unknown(value: dict[str, Any]) -> Iterator[str]:
    yield from unknown_keys(value, _KNOWN_IN_REPLY)
    yield from unknown_keys(value.get("usage"), _KNOWN_IN_USAGE, "usage.")
    for choice in mappings(value.get("choices")):
        if choice.get("index", 0) != 0:
            yield "further choices"
            continue
        yield from unknown_keys(choice, _KNOWN_IN_CHOICE)
        for key in ("message", "delta"):
            yield from unknown_keys(choice.get(key), _KNOWN_IN_MESSAGE)
