"""Convert the messages of a Converse request, with their content blocks, to chat messages.

A block has one key, which is its type.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from workbench.core.json.values import compact, mapping, mappings, string
from workbench.core.requests.messages import chat_call, data_url

Message = dict[str, Any]
ChatPart = dict[str, Any]

# Blocks that the model does not read, or that contain its reasoning.
_NOT_COUNTED: Final = ("cachePoint", "reasoningContent")
_MEDIA_TYPES: Final = {
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "txt": "text/plain",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def system_message(system: object) -> Iterator[Message]:
    """The message of the instructions, if there are any."""
    if parts := _parts(mappings(system)):
        yield {"role": "system", "content": parts}


def messages(value: object) -> Iterator[Message]:
    """The messages of a conversation, in order."""
    for message in mappings(value):
        role, blocks = string(message.get("role")) or "user", mappings(message.get("content"))
        if role == "assistant":
            yield _assistant_message(blocks)
        else:
            yield from _other_messages(role, blocks)


def _assistant_message(blocks: list[dict[str, Any]]) -> Message:
    """The text and the calls of a message by the model."""
    texts = [part for part in _parts(blocks) if part.get("type") == "text"]
    calls = [_call(mapping(block["toolUse"])) for block in blocks if "toolUse" in block]
    message: Message = {"role": "assistant", "content": texts}
    return {**message, "tool_calls": calls} if calls else message


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    # Arguments are an object here, which the canonical form writes as text.
    return chat_call(string(call.get("toolUseId")), string(call.get("name")), call.get("input"))


def _other_messages(role: str, blocks: list[dict[str, Any]]) -> Iterator[Message]:
    """The messages of another role: one for each tool result, and for each run of other blocks."""
    for is_result, run in groupby(blocks, lambda block: "toolResult" in block):
        if is_result:
            yield from (_result(mapping(block["toolResult"])) for block in run)
        elif parts := _parts([*run]):
            yield {"role": role, "content": parts}
    if not blocks:
        yield {"role": role, "content": ""}


def _result(result: Mapping[str, Any]) -> Message:
    parts = _parts(mappings(result.get("content")))
    return {"role": "tool", "tool_call_id": string(result.get("toolUseId")), "content": parts}


# Content blocks


def _parts(blocks: list[dict[str, Any]]) -> list[ChatPart]:
    """The chat parts equivalent to ``blocks``, in order. A block without an equivalent stays
    unchanged.
    """
    return [
        part for block in blocks for kind, value in block.items() for part in _part(kind, value)
    ]


def _part(kind: str, value: Any) -> Iterator[ChatPart]:
    match kind:
        case "text":
            yield _text(value)
        case "json":
            yield _text(value if isinstance(value, str) else compact(value))
        case "image":
            yield {"type": "image_url", "image_url": {"url": _image_url(mapping(value))}}
        case "audio":
            yield _audio(mapping(value))
        case "document":
            yield from _document(mapping(value))
        case "guardContent":
            for inner, guarded in mapping(value).items():
                is_text = inner == "text"
                yield from _part(inner, mapping(guarded).get("text") if is_text else guarded)
        case "citationsContent" | "searchResult":
            yield from _parts(mappings(mapping(value).get("content")))
        case "toolUse" | "toolResult":
            pass  # of messages, which have them apart
        case _ if kind not in _NOT_COUNTED:
            yield {kind: value}


def _text(value: object) -> ChatPart:
    return {"type": "text", "text": string(value)}


def _image_url(image: Mapping[str, Any]) -> str:
    """The URL of an image: with its bytes, or of its place in S3."""
    source = mapping(image.get("source"))
    if location := string(mapping(source.get("s3Location")).get("uri")):
        return location
    return data_url(f"image/{string(image.get('format'))}", string(source.get("bytes")))


def _audio(audio: Mapping[str, Any]) -> ChatPart:
    data = string(mapping(audio.get("source")).get("bytes"))
    kind = string(audio.get("format"))
    return {"type": "input_audio", "input_audio": {"data": data, "format": kind}}


def _document(document: Mapping[str, Any]) -> Iterator[ChatPart]:
    """A document as a file; a document of text as text parts."""
    source, name = mapping(document.get("source")), string(document.get("name"))
    if texts := mappings(source.get("content")):
        yield from _parts(texts)
        return
    file = {"filename": name} if name else {}
    kind = _MEDIA_TYPES.get(string(document.get("format")), "application/octet-stream")
    if location := string(mapping(source.get("s3Location")).get("uri")):
        file["file_url"] = location
    elif isinstance(text := source.get("text"), str):
        data = text.encode("utf-8", "surrogatepass")
        file["file_data"] = data_url("text/plain", base64.b64encode(data).decode("ascii"))
    else:
        file["file_data"] = data_url(kind, string(source.get("bytes")))
    yield {"type": "file", "file": file}
