"""The request digest: which requests are the same request to the stub server.

Uses only the standard library, so that anything may import it. The rule is the reference stub's
(``_compute_request_digest`` of its ``mock_llm.py``), and so it is written in terms of chat
completion requests; where the script in that server's documentation differs, the server is right.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.core.json.values import sorted_json
from workbench.core.request_body import RequestError

_OPTIONAL_MESSAGE_KEYS = ("name", "tool_call_id", "tool_calls")
# The keys of a chat message that count.
MESSAGE_KEYS = frozenset({"role", "content", *_OPTIONAL_MESSAGE_KEYS})
# The keys of canonical messages, at any depth, whose values tie a tool's result to its call.
ID_KEYS = frozenset({"id", "tool_call_id"})


class Canonical(NamedTuple):
    """The part of a request that decides its answer, as the equivalent chat completion request of
    any API.
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


def digest(payload: Mapping[str, Any]) -> str:
    """The digest of a chat completion request. Raises RequestError as ``digest_of``."""
    return digest_of(canonical(payload))


def digest_of(request: Canonical) -> str:
    """The digest of a request: 64 lowercase hexadecimal digits.

    Raises:
        RequestError: the request contains a lone surrogate (which has no UTF-8 form) or is
            nested too deeply.
    """
    try:
        return hashlib.sha256(request.text.encode("utf-8")).hexdigest()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise RequestError(
            "lone_surrogate",
            f"the request cannot be hashed: it contains the lone surrogate \\u{code:04x}, "
            "half of a character cut in two, which has no UTF-8 form",
        ) from None
    except RecursionError:
        raise RequestError("too_deep", "the request is nested too deeply") from None
