"""Convert the messages of a request, or its prompt, to chat messages.

Calls are named by their place in the conversation instead of by the ids that a client sends: the
API needs no ids, and clients invent a new one each time. Reasoning does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from workbench.core.json.values import compact, mapping, mappings, sequence, string
from workbench.core.requests.messages import chat_call
from workbench.core.requests.view import Payload

Message = dict[str, Any]

# Images are sent without their types. The beginnings of their base64, by type.
_IMAGES: Final = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "Qk": "image/bmp",
}
_UNKNOWN_IMAGE: Final = "image/png"


def of_prompt(payload: Payload) -> Iterator[Message]:
    """The messages of a request that has a prompt."""
    if system := string(payload.get("system")):
        yield {"role": "system", "content": system}
    yield {"role": "user", "content": _content(payload.get("prompt"), payload.get("images"))}


def messages(conversation: object) -> Iterator[Message]:
    """The messages of a conversation, in order."""
    calls = _Calls()
    for message in mappings(conversation):
        role = string(message.get("role"))
        content = _content(message.get("content"), message.get("images"))
        if role == "assistant":
            yield from _answer(message, content, calls)
        elif role == "tool":
            yield {"role": role, "tool_call_id": calls.answered_by(message), "content": content}
        else:
            yield {"role": role, "content": content}


class _Calls:
    """The calls of a conversation: which name each has here, and which are not answered yet."""

    def __init__(self) -> None:
        self._count = 0
        # By their names here, in order: the id that was sent, and the function.
        self._unanswered: dict[str, tuple[str, str]] = {}

    def id_of(self, call: dict[str, Any]) -> str:
        """``call_<n>`` for the n-th call of the conversation."""
        call_id = f"call_{self._count}"
        self._count += 1
        function = string(mapping(call.get("function")).get("name"))
        self._unanswered[call_id] = string(call.get("id")), function
        return call_id

    def answered_by(self, result: Message) -> str:
        """The id of the unanswered call that a message answers: the call with its id, else the
        first call of its function, or of any function if it has no name; else its own id or name.
        """
        sent = string(result.get("tool_call_id"))
        name = string(result.get("tool_name")) or string(result.get("name"))
        calls = self._unanswered
        with_id = (key for key, (sent_id, _) in calls.items() if sent and sent_id == sent)
        of_function = (key for key, (_, function) in calls.items() if name in ("", function))
        call_id = next(chain(with_id, of_function), sent or name)
        calls.pop(call_id, None)
        return call_id


def _answer(message: Message, content: Any, calls: _Calls) -> Iterator[Message]:
    """A message of the model; none where it only thought."""
    tool_calls = [_call(call, calls) for call in mappings(message.get("tool_calls"))]
    if tool_calls:
        yield {"role": "assistant", "content": content or None, "tool_calls": tool_calls}
    elif content or not message.get("thinking"):
        yield {"role": "assistant", "content": content}


def _call(call: dict[str, Any], calls: _Calls) -> dict[str, Any]:
    function = mapping(call.get("function"))
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = compact({} if arguments is None else arguments)
    return chat_call(calls.id_of(call), string(function.get("name")), arguments)


def _content(text: object, images: object) -> str | list[dict[str, Any]]:
    """A text or, where there are images, a list of parts."""
    text = string(text)
    urls = [_url(image) for image in sequence(images) if isinstance(image, str)]
    if not urls:
        return text
    texts = [{"type": "text", "text": text}] if text else []
    return [*texts, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]


def _url(image: str) -> str:
    """The data URL of an image in base64; one that is a URL stays as it is."""
    if image.startswith("data:"):
        return image
    types = (kind for beginning, kind in _IMAGES.items() if image.startswith(beginning))
    data = image.rstrip("=")
    return f"data:{next(types, _UNKNOWN_IMAGE)};base64,{data}{'=' * (-len(data) % 4)}"
