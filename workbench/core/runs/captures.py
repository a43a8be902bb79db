"""HTTP exchanges that other programs captured: HAR files, cassettes of vcrpy and Cassetter."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any, Final

from workbench.core.digest import json_type
from workbench.core.packing import MAX_BODY, PackingError, unpacked

# Thirty years; a larger number is no duration.
_LONGEST_MS: Final = 1e12


class CaptureError(ValueError):
    """An entry, or a whole file, that cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One captured exchange; what is missing is empty.

    Attributes:
        place: of its entry in the file, for messages.
        started: when it was made, in ISO 8601.
        ms: how long it took, in milliseconds.
        request_headers: with the cookies that stand beside them in a HAR file.
        retry_after: the header of the response.
    """

    place: str
    method: str
    url: str
    request_body: bytes
    status: int
    content_type: str
    body: bytes
    started: str = ""
    ms: float = 0.0
    request_headers: tuple[tuple[str, str], ...] = ()
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An entry that cannot be read."""

    place: str
    reason: str


def captures(value: Any) -> Iterator[Capture | Unreadable]:
    """The exchanges of a HAR file or a cassette, in order.

    Args:
        value: what the file holds, as JSON or YAML has it.

    Raises:
        CaptureError: it is neither.
    """
    if isinstance(value, dict) and isinstance(log := value.get("log"), dict):
        entries, read, name = log.get("entries"), _har_entry, "log.entries"
    elif isinstance(value, dict) and "interactions" in value:
        entries, read, name = value["interactions"], _interaction, "interactions"
    else:
        raise CaptureError("neither a HAR file (log.entries) nor a cassette (interactions)")
    if not isinstance(entries, list):
        raise CaptureError(f"{name} is {json_type(entries)}, not a list")
    for number, entry in enumerate(entries):
        place = f"{name}[{number}]"
        try:
            yield read(place, entry)
        except CaptureError as error:
            yield Unreadable(place, str(error))


def _har_entry(place: str, entry: Any) -> Capture:
    """As http://www.softwareishard.com/blog/har-12-spec/ describes it; bodies are unpacked."""
    request, response = _member(entry, "request", dict), _member(entry, "response", dict)
    content = _optional(response, "content", dict) or {}
    posted = _optional(request, "postData", dict) or {}
    text = _bytes(content.get("text"), "response.content.text")
    if content.get("encoding") == "base64":
        text = _unbase64(text)
    started = entry.get("startedDateTime")
    return Capture(
        place=place,
        method=_member(request, "method", str),
        url=_member(request, "url", str),
        request_body=_bytes(posted.get("text"), "request.postData.text"),
        status=_member(response, "status", int),
        content_type=str(content.get("mimeType") or ""),
        body=text,
        started=started if isinstance(started, str) else "",
        ms=_milliseconds(entry.get("time")),
        request_headers=(*_pairs(request.get("headers")), *_cookies(request.get("cookies"))),
        retry_after=_header(dict(_pairs(response.get("headers"))), "retry-after"),
    )


def _interaction(place: str, entry: Any) -> Capture:
    """As vcrpy writes it (version 1), where a status has a code, or Cassetter, where it is one."""
    request, response = _member(entry, "request", dict), _member(entry, "response", dict)
    status = response.get("status")
    code = _member(status if isinstance(status, dict) else {"code": status}, "code", int)
    headers = _optional(response, "headers", dict) or {}
    asked_with = request.get("headers")
    started = entry.get("recorded_at")
    return Capture(
        place=place,
        method=_member(request, "method", str),
        url=_member(request, "uri", str),
        request_body=_cassette_body(request, "request"),
        status=code,
        content_type=_header(headers, "content-type"),
        body=_unpacked(_cassette_body(response, "response"), _header(headers, "content-encoding")),
        started=started if isinstance(started, str) else "",
        request_headers=tuple(_of_cassette(asked_with if isinstance(asked_with, dict) else {})),
        retry_after=_header(headers, "retry-after"),
    )


def _cassette_body(message: dict[str, Any], where: str) -> bytes:
    """The body of a request or response: a string, an object with one (vcrpy), JSON as it is under
    ``parsed_body`` (pydantic-ai), or ``{type, content}`` (Cassetter).
    """
    if message.get("parsed_body") is not None:
        return _json_bytes(message["parsed_body"], f"{where}.parsed_body")
    body = message.get("body")
    if not isinstance(body, dict):
        return _bytes(body, f"{where}.body")
    content = body.get("content")
    # In a TOML file JSON is a string, because TOML has no null.
    if body.get("type") == "json" and not isinstance(content, str):
        return _json_bytes(content, f"{where}.body.content")
    if body.get("type") == "binary":
        try:
            return bytes.fromhex(_bytes(content, f"{where}.body.content").decode("ascii"))
        except ValueError:
            raise CaptureError(f"{where}.body.content is not hexadecimal") from None
    return _bytes(content if "type" in body else body.get("string"), f"{where}.body")


def _json_bytes(value: Any, where: str) -> bytes:
    """``value`` as JSON. A YAML file may hold what JSON cannot, and short ones may mean huge
    values: their parts may stand for one another.
    """
    text = StringIO()
    try:
        for part in json.JSONEncoder(ensure_ascii=False).iterencode(value):
            text.write(part)
            if text.tell() > MAX_BODY:
                raise CaptureError(f"{where} is longer than {MAX_BODY // (1024 * 1024)} MiB")
    except (TypeError, RecursionError) as error:
        raise CaptureError(f"{where} is not JSON: {error}") from None
    return text.getvalue().encode("utf-8", "surrogatepass")


def _pairs(value: Any) -> Iterator[tuple[str, str]]:
    """A HAR file's list of names and values; what is none is left out."""
    for pair in value if isinstance(value, list) else []:
        if isinstance(pair, dict) and {"name", "value"} <= pair.keys():
            yield str(pair["name"]), str(pair["value"])


def _cookies(value: Any) -> Iterator[tuple[str, str]]:
    return (("cookie", f"{name}={text}") for name, text in _pairs(value))


def _of_cassette(headers: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """A cassette's headers, each with one value or a list of them."""
    for name, value in headers.items():
        for each in value if isinstance(value, list) else [value]:
            yield str(name), each.decode("latin-1") if isinstance(each, bytes) else str(each)


def _milliseconds(value: Any) -> float:
    """A duration; 0 for what is none."""
    return float(value) if isinstance(value, int | float) and 0 < value < _LONGEST_MS else 0.0


def _member(value: Any, key: str, kind: type) -> Any:
    found = _optional(value, key, kind)
    if found is None:
        raise CaptureError(f"{key} is missing")
    return found


def _optional(value: Any, key: str, kind: type) -> Any:
    if not isinstance(value, dict):
        raise CaptureError(f"the entry is {json_type(value)}, not an object")
    found = value.get(key)
    if found is not None and (not isinstance(found, kind) or isinstance(found, bool)):
        raise CaptureError(f"{key} is {json_type(found)}")
    return found


def _bytes(value: Any, where: str) -> bytes:
    match value:
        case None:
            return b""
        case bytes():
            return value
        case str():
            return value.encode("utf-8", "surrogatepass")
    raise CaptureError(f"{where} is {json_type(value)}, not a string")


def _unbase64(data: bytes) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise CaptureError(f"response.content.text is no base64: {error}") from None


def _header(headers: dict[Any, Any], name: str) -> str:
    for key, value in headers.items():
        if isinstance(key, str) and key.lower() == name:
            return str(value[0] if isinstance(value, list) and value else value)
    return ""


def _unpacked(data: bytes, coding: str) -> bytes:
    if not data:  # of a reply that has no body, or whose capture has none
        return data
    try:
        return unpacked(coding, data, MAX_BODY)
    except PackingError as error:
        # Some cassettes hold the unpacked body and the header of the packed one.
        if data.lstrip()[:1] in (b"{", b"d"):
            return data
        raise CaptureError(f"the body {error}") from None
