"""The request digest: which requests are the same request to the stub server.

Standard library alone, so that anything may import it. The rule is the reference stub's
(``_compute_request_digest`` of its ``mock_llm.py``), and so it is written in terms of chat
completion requests; where the script in that server's documentation differs, the server is right.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

MAX_DEPTH = 300
"""How deeply the JSON of a fixture may be nested; that of a request, which it holds, one less."""
DIGEST_LENGTH = 64
SHORT_LENGTH = 12

_DIGEST = re.compile(r"[0-9a-f]{64}")
# Made once: ``json.dumps`` makes an encoder for each call with options.
_SORTED = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
_OPTIONAL_MESSAGE_KEYS = ("name", "tool_call_id", "tool_calls")
# The keys of a chat message that count.
MESSAGE_KEYS = frozenset({"role", "content", *_OPTIONAL_MESSAGE_KEYS})
# The keys of canonical messages, at any depth, whose values tie a tool's result to its call.
ID_KEYS = frozenset({"id", "tool_call_id"})


class RequestError(ValueError):
    """A body that is not a request. The text says what is wrong and where, for a person.

    Attributes:
        code: a stable name for programs: ``invalid_json``, ``not_utf8``, ``not_an_object``,
            ``integer_too_long``, ``too_long``, ``too_deep`` or ``lone_surrogate``; for embeddings
            also ``invalid_value`` or ``too_many_inputs``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def parse_request(body: bytes | str) -> dict[str, Any]:
    """The JSON object in ``body``.

    Raises:
        RequestError: for anything else. The reference stub reads such a body as ``{}``; the
            digest of that would be useless, so it is refused on purpose.
    """
    if not body.strip():
        raise RequestError("invalid_json", "the body is empty")
    try:
        # Of bytes, json.loads would guess UTF-16 and UTF-32, too. It removes no byte order mark.
        text = body if isinstance(body, str) else body.removeprefix(codecs.BOM_UTF8).decode()
        payload = json.loads(text)
    except UnicodeDecodeError as error:
        raise RequestError(
            "not_utf8", f"the body is not UTF-8: byte {error.start} cannot be read"
        ) from None
    except json.JSONDecodeError as error:
        raise RequestError(
            "invalid_json",
            f"the body is not JSON: line {error.lineno}, column {error.colno}: {error.msg}",
        ) from None
    except RecursionError:
        raise RequestError("too_deep", "the body is nested too deeply") from None
    except ValueError as error:
        # The only other ValueError of json.loads: an integer over sys.get_int_max_str_digits().
        raise RequestError(
            "integer_too_long", f"the body holds a number that is too long ({error})"
        ) from None
    if not isinstance(payload, dict):
        raise RequestError(
            "not_an_object", f"the body is {json_type(payload)}; a request is a JSON object"
        )
    if is_too_deep(body, payload, MAX_DEPTH - 1):
        raise RequestError("too_deep", f"the body is nested {MAX_DEPTH} deep or more")
    return payload


def is_too_deep(text: str | bytes, value: object, most: int = MAX_DEPTH) -> bool:
    """Whether ``value``, read from JSON ``text``, is nested deeper than ``most``."""
    if isinstance(text, str):
        opened = text.count("{") + text.count("[")
    else:
        opened = text.count(b"{") + text.count(b"[")
    if opened <= most:
        return False
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


class Canonical(NamedTuple):
    """The part of a request that decides its answer: a chat completion request that says the same,
    whichever API was asked.
    """

    model: Any
    messages: list[dict[str, Any]]
    tool_choice: Any

    @property
    def settings(self) -> dict[str, Any]:
        """All but the messages, by name."""
        return {"model": self.model, "tool_choice": self.tool_choice}

    @property
    def text(self) -> str:
        """The text that is hashed: compact JSON with sorted keys, escaped only where it must be."""
        return sorted_json(self._asdict())


def canonical_messages(messages: object) -> list[dict[str, Any]]:
    """The part of chat messages that decides the answer.

    ``role`` and ``content`` always (null when absent); ``name``, ``tool_call_id`` and
    ``tool_calls`` only when the key is there. Anything but a dict is dropped; anything but a list
    counts as [].
    """
    if not isinstance(messages, list):
        return []
    entries = []
    for message in messages:
        if isinstance(message, dict):
            entry = {"role": message.get("role"), "content": message.get("content")}
            for key in _OPTIONAL_MESSAGE_KEYS:
                if key in message:
                    entry[key] = message[key]
            entries.append(entry)
    return entries


def canonical(payload: Mapping[str, Any]) -> Canonical:
    """The canonical form of a chat completion request."""
    messages = canonical_messages(payload.get("messages"))
    return Canonical(payload.get("model"), messages, payload.get("tool_choice"))


def sorted_json(value: object) -> str:
    """JSON with sorted keys, without blanks and escapes that are not needed."""
    return _SORTED.encode(value)


def digest(payload: Mapping[str, Any]) -> str:
    """The digest of a chat completion request. Raises RequestError as ``digest_of``."""
    return digest_of(canonical(payload))


def digest_of(request: Canonical) -> str:
    """The digest of a request: 64 lowercase hexadecimal digits.

    Raises:
        RequestError: when the request holds a lone surrogate (which has no UTF-8 form) or is
            nested too deeply.
    """
    try:
        return hashlib.sha256(request.text.encode("utf-8")).hexdigest()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise RequestError(
            "lone_surrogate",
            f"the request cannot be hashed: it holds the lone surrogate \\u{code:04x}, "
            "half of a character cut in two, which has no UTF-8 form",
        ) from None
    except RecursionError:
        raise RequestError("too_deep", "the request is nested too deeply") from None


def is_digest(text: str) -> bool:
    """Whether ``text`` has the form of a digest."""
    return _DIGEST.fullmatch(text) is not None


def short(digest: str) -> str:
    """The 12 digits that stand for a digest in sentences and lists."""
    return digest[:SHORT_LENGTH]


def json_type(value: object) -> str:
    """What JSON calls the type of ``value``, with its article: "a list", "null"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"
