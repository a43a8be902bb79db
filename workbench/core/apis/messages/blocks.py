"""Content blocks of the Messages API as the parts of a chat message that say the same."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.json.values import mapping, mappings, string

_TEXT: Final = "text/plain"


def parts(blocks: object) -> list[dict[str, Any]]:
    """The parts that say what ``blocks`` say, in order. Blocks inside a block stand in its place;
    one that chat has no word for stays as it is.
    """
    return [_part(block) for block in _unpacked(blocks)]


def _unpacked(blocks: object) -> Iterator[dict[str, Any]]:
    for block in mappings(blocks):
        source = mapping(block.get("source"))
        if block.get("type") == "search_result":
            yield from mappings(block.get("content"))
        elif block.get("type") == "document" and source.get("type") == "content":
            inner = source.get("content")
            yield from (
                [{"type": "text", "text": inner}] if isinstance(inner, str) else mappings(inner)
            )
        else:
            yield block


def _part(block: Mapping[str, Any]) -> dict[str, Any]:
    match block.get("type"):
        case "text":
            return {"type": "text", "text": string(block.get("text"))}
        case "image":
            return {"type": "image_url", "image_url": {"url": _url(mapping(block.get("source")))}}
        case "document":
            return {"type": "file", "file": _file(block, mapping(block.get("source")))}
    return dict(block)


def _url(source: Mapping[str, Any]) -> str:
    match source.get("type"):
        case "base64":
            return _data_url(string(source.get("media_type")), string(source.get("data")))
        case "file":
            return f"file:{string(source.get('file_id'))}"
    return string(source.get("url"))


def _file(block: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, str]:
    title = string(block.get("title"))
    file = {"filename": title} if title else {}
    match source.get("type"):
        case "base64":
            return file | {"file_data": _url(source)}
        case "text":
            data = string(source.get("data")).encode("utf-8", "surrogatepass")
            return file | {"file_data": _data_url(_TEXT, base64.b64encode(data).decode("ascii"))}
        case "file":
            return file | {"file_id": string(source.get("file_id"))}
    return file | {"file_url": string(source.get("url"))}


def _data_url(media_type: str, data: str) -> str:
    """A data URL; clients differ in whether they pad base64."""
    return f"data:{media_type};base64,{data}{'=' * (-len(data) % 4)}"
