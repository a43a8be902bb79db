"""Translates the contents of a request, with their parts, to chat messages.

Adjacent contents of the model are one message, since clients keep the chunks of a stream as
contents of their own. Thoughts and their signatures do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from workbench.core.apis.gemini.fields import field, objects, text
from workbench.core.json.values import compact
from workbench.core.requests.messages import chat_call

Message = dict[str, Any]
ChatPart = dict[str, Any]

# Client libraries put the output of a function under one of these keys.
_OUTPUT_KEYS: Final = frozenset({"output", "result", "return_value", "content", "error"})
_URL_SAFE: Final = str.maketrans("-_", "+/")
_AUDIO_FORMATS: Final = {"mpeg": "mp3", "x-wav": "wav", "wave": "wav"}


def system_message(instruction: object) -> Iterator[Message]:
    """The message of a system instruction: a string, a part or a content."""
    if isinstance(instruction, str):
        parts = [{"text": instruction}]
    elif field(instruction, "parts") is None:
        parts = [instruction] if isinstance(instruction, dict) else []
    else:
        parts = objects(instruction, "parts")
    if content := _chat_parts(parts):
        yield {"role": "system", "content": content}


def messages(contents: list[dict[str, Any]]) -> Iterator[Message]:
    """The messages of a conversation, in order."""
    calls = _Calls()
    for is_model, turn in groupby(contents, key=lambda content: field(content, "role") == "model"):
        if is_model:
            yield from _answer([part for content in turn for part in _parts(content)], calls)
        else:
            for content in turn:
                yield from _user_messages(_parts(content), calls)


class _Calls:
    """The function calls of a conversation: which id each has, and which are not answered yet."""

    def __init__(self) -> None:
        self._count = 0
        # Call ids by function name, in order. Dicts, since a conversation may have thousands.
        self._unanswered: dict[str, dict[str, None]] = {}

    def id_of(self, call: object) -> str:
        """The id of a call; where it has none, ``call_<n>`` for the n-th of the conversation."""
        call_id = text(call, "id") or f"call_{self._count}"
        self._count += 1
        self._unanswered.setdefault(text(call, "name"), {})[call_id] = None
        return call_id

    def answered_by(self, response: object) -> str:
        """The id of the call that a response answers: its own id, else the id of the function's
        first unanswered call, else the function's name.
        """
        name = text(response, "name")
        calls = self._unanswered.get(name, {})
        call_id = text(response, "id") or next(iter(calls), name)
        calls.pop(call_id, None)
        return call_id


def _parts(content: object) -> list[dict[str, Any]]:
    return [part for part in objects(content, "parts") if part.get("thought") is not True]


def _answer(parts: list[dict[str, Any]], calls: _Calls) -> Iterator[Message]:
    """The message of the model; none where it only thought."""
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    tool_calls = [_call(call, calls) for part in parts for call in objects(part, "functionCall")]
    message: Message = {"role": "assistant", "content": "".join(texts) if texts else None}
    if tool_calls:
        yield {**message, "tool_calls": tool_calls}
    elif texts:
        yield message


def _call(call: dict[str, Any], calls: _Calls) -> dict[str, Any]:
    arguments = field(call, "args")
    written = compact({} if arguments is None else arguments)
    return chat_call(calls.id_of(call), text(call, "name"), written)


def _user_messages(parts: list[dict[str, Any]], calls: _Calls) -> Iterator[Message]:
    """A message for each function response, and one for each run of other parts."""
    if not parts:
        yield {"role": "user", "content": ""}
    for is_response, run in groupby(
        parts, key=lambda part: bool(objects(part, "functionResponse"))
    ):
        if is_response:
            for part in run:
                for response in objects(part, "functionResponse"):
                    yield _output(response, calls)
        else:
            yield {"role": "user", "content": _chat_parts(list(run)) or ""}


def _output(response: dict[str, Any], calls: _Calls) -> Message:
    content: list[ChatPart] = []
    value = field(response, "response")
    if value is not None:
        content.append({"type": "text", "text": _output_text(value, text(response, "name"))})
    content += _chat_parts(objects(response, "parts"))
    return {
        "role": "tool",
        "tool_call_id": calls.answered_by(response),
        "content": content or "",
    }


def _output_text(value: Any, function: str) -> str:
    """The output of a function as text, without the object that client libraries put it in."""
    if isinstance(value, dict):
        outputs = {key: item for key, item in value.items() if (key, item) != ("name", function)}
        if len(outputs) == 1 and not _OUTPUT_KEYS.isdisjoint(outputs):
            (value,) = outputs.values()
    return value if isinstance(value, str) else compact(value)


def _chat_parts(parts: list[dict[str, Any]]) -> list[ChatPart]:
    """The text, images, audio and files among some parts; other parts are left out."""
    return [chat_part for part in parts for chat_part in _chat_part(part)]


def _chat_part(part: dict[str, Any]) -> Iterator[ChatPart]:
    if isinstance(part.get("text"), str):
        yield {"type": "text", "text": part["text"]}
    for data in objects(part, "inlineData"):
        yield _inline(text(data, "mimeType"), text(data, "data"), text(data, "displayName"))
    for file in objects(part, "fileData"):
        url = text(file, "fileUri")
        if text(file, "mimeType").startswith("image/"):
            yield {"type": "image_url", "image_url": {"url": url}}
        else:
            yield {"type": "file", "file": {"file_url": url}}


def _inline(kind: str, data: str, filename: str) -> ChatPart:
    """A part of base64 data, in the plain alphabet and padded."""
    data = data.translate(_URL_SAFE).rstrip("=")
    data += "=" * (-len(data) % 4)
    family, _, name = kind.partition("/")
    if family == "audio":
        return {
            "type": "input_audio",
            "input_audio": {"data": data, "format": _AUDIO_FORMATS.get(name, name)},
        }
    url = f"data:{kind};base64,{data}"
    if family == "image":
        return {"type": "image_url", "image_url": {"url": url}}
    named = {"filename": filename} if filename else {}
    return {"type": "file", "file": {**named, "file_data": url}}
