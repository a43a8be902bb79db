"""HTTP exchanges captured by other programs: HAR files, cassettes of vcrpy, VCR for Ruby and
Cassetter.

LangChain stores the requests and the responses of vcrpy in a list each.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import partial
from io import StringIO
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workbench.core.apis import sse
from workbench.core.apis.paths import conversation_at
from workbench.core.apis.sse import is_stream
from workbench.core.formats import FormatError, checked
from workbench.core.json.values import is_number, json_type, mappings
from workbench.core.replies.content_encoding import MAX_BODY, PackingError, unpacked
from workbench.core.text.wording import mebibytes

# Thirty years; a larger number is not a duration.
_LONGEST_MS: Final = 1e12


Attached = Callable[[str], bytes]
"""Reads a file that a HAR file names. Raises CaptureError."""


class CaptureError(ValueError):
    """An entry, or a whole file, that cannot be read; the message is the reason."""


class NotACaptureError(CaptureError):
    """A file of another kind."""


class Capture(NamedTuple):
    """One captured exchange; missing values are empty.

    Attributes:
        place: of its entry in the file, for messages.
        started: ISO 8601.
        ms: duration in milliseconds.
        request_headers: with the cookies, which HAR files list apart.
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

    @property
    def is_chat(self) -> bool:
        """True if the request is for an API that fixtures answer."""
        return _is_chat(self.method, self.url)


def _is_chat(method: str, url: str) -> bool:
    try:
        return method.upper() == "POST" and conversation_at(urlsplit(url).path) is not None
    except ValueError:
        return False


class UnreadableCapture(NamedTuple):
    """An entry that cannot be read."""

    place: str
    reason: str


class _Format(BaseModel):
    model_config = ConfigDict(strict=True)


class _HarBody(_Format):
    text: str | None = None
    type: str | None = Field(default=None, alias="mimeType")
    encoding: Any = None
    size: Any = None
    # Playwright names the files of bodies so; earlier versions have only the second key.
    file: str | None = Field(default=None, alias="_file")
    sha1: str | None = Field(default=None, alias="_sha1")


class _HarRequest(_Format):
    method: str
    url: str
    headers: Any = None
    cookies: Any = None
    body: _HarBody | None = Field(default=None, alias="postData")


class _HarResponse(_Format):
    status: int
    headers: Any = None
    content: _HarBody | None = None


class _HarEntry(_Format):
    """As http://www.softwareishard.com/blog/har-12-spec/ describes it; bodies are decompressed."""

    request: _HarRequest
    response: _HarResponse
    started: Any = Field(default=None, alias="startedDateTime")
    time: Any = None


class _CassetteRequest(_Format):
    method: str
    uri: str
    headers: Any = None
    body: Any = None
    parsed_body: Any = None


class _CassetteResponse(_Format):
    status: int
    headers: Any = None
    body: Any = None
    parsed_body: Any = None

    @model_validator(mode="before")
    @classmethod
    def _of_httpx(cls, value: Any) -> Any:
        """vcrpy before version 6 wrote the replies of httpx with other keys."""
        if not isinstance(value, dict) or "status_code" not in value:
            return value
        return {**value, "status": value["status_code"], "body": value.get("content")}

    @field_validator("status", mode="before")
    @classmethod
    def _code(cls, value: Any) -> Any:
        """vcrpy writes ``{code, message}``, Cassetter the number."""
        return value.get("code") if isinstance(value, dict) else value


class _Interaction(_Format):
    request: _CassetteRequest
    response: _CassetteResponse
    recorded_at: Any = None


def captures(value: Any, attached: Attached | None = None) -> Iterator[Capture | UnreadableCapture]:
    """The exchanges of a HAR file or a cassette, in order.

    Args:
        value: the content of the file, read as JSON, YAML or TOML.
        attached: reads the files that it names; None if there are none.

    Raises:
        NotACaptureError: it is neither.
        CaptureError: its entries are not a list.
    """
    if isinstance(value, dict) and isinstance(log := value.get("log"), dict):
        entries, name = log.get("entries"), "log.entries"
        read: Callable[[str, Any], Capture] = partial(_of_har, attached=attached)
    elif isinstance(value, dict) and "interactions" in value:
        entries, read, name = value["interactions"], _of_cassette, "interactions"
    elif isinstance(value, dict) and "http_interactions" in value:
        entries, read, name = value["http_interactions"], _of_cassette, "http_interactions"
    elif isinstance(value, dict) and {"requests", "responses"} <= value.keys():
        entries, read, name = _in_pairs(value), _of_cassette, "requests"
    else:
        raise NotACaptureError(
            "neither a HAR file (log.entries), nor a cassette (interactions or http_interactions),"
            " nor fixtures of aimock (fixtures)"
        )
    if not isinstance(entries, list):
        raise CaptureError(f"{name} is {json_type(entries)}, not a list")
    for number, entry in enumerate(entries):
        place = f"{name}[{number}]"
        try:
            yield read(place, entry)
        except (CaptureError, FormatError) as error:
            yield UnreadableCapture(place, str(error))


def _in_pairs(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The interactions whose requests and responses are lists. Raises CaptureError."""
    requests, responses = value["requests"], value["responses"]
    if not isinstance(requests, list) or not isinstance(responses, list):
        raise CaptureError("requests and responses are not two lists")
    if len(requests) != len(responses):
        raise CaptureError(f"{len(requests)} requests have {len(responses)} responses")
    pairs = zip(requests, responses, strict=True)
    return [{"request": request, "response": response} for request, response in pairs]


def _of_har(place: str, value: Any, attached: Attached | None) -> Capture:
    entry = checked(_HarEntry, value)
    headers = dict(_pairs(entry.response.headers))
    cookies = (("cookie", f"{name}={text}") for name, text in _pairs(entry.request.cookies))
    time = entry.time
    content = entry.response.content or _HarBody()
    body = entry.request.body or _HarBody()
    # Files hold all traffic of a program, and much of it without bodies.
    is_chat = _is_chat(entry.request.method, entry.request.url)
    return Capture(
        place=place,
        method=entry.request.method,
        url=entry.request.url,
        request_body=_har_body(body, "request.postData", attached, is_needed=is_chat),
        status=entry.response.status,
        content_type=content.type or "",
        body=_ended(_har_body(content, "response.content", attached, is_needed=is_chat)),
        started=entry.started if isinstance(entry.started, str) else "",
        ms=float(time) if isinstance(time, int | float) and 0 < time < _LONGEST_MS else 0.0,
        request_headers=(*_pairs(entry.request.headers), *cookies),
        retry_after=_header(headers, "retry-after"),
    )


def _har_body(body: _HarBody, where: str, attached: Attached | None, *, is_needed: bool) -> bytes:
    """A body: a string, base64, or the content of a file."""
    name = body.file or body.sha1
    if body.text is None and not is_needed:
        return b""
    if body.text is None and name is not None:
        if attached is None:
            raise CaptureError(
                f"{where} is in the file {name}; give the path of the HAR file instead of -"
            )
        return attached(name)
    if body.text is None and is_number(body.size) and body.size > 0:
        raise CaptureError(f"{where} has no text: save the HAR file with content")
    text = _utf8(body.text or "")
    if body.encoding != "base64":
        if body.encoding:
            raise CaptureError(
                f"{where}.text is encoded as {body.encoding!a}; only base64 is supported"
            )
        return text
    return _unbase64(text, f"{where}.text")


def _unbase64(text: str | bytes, where: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise CaptureError(f"{where} is not base64: {error}") from None


def _of_cassette(place: str, value: Any) -> Capture:
    entry = checked(_Interaction, value)
    request, response = entry.request, entry.response
    headers = dict(_cassette_headers(response.headers))
    request_headers = dict(_cassette_headers(request.headers))
    body = _cassette_body(response, "response")
    return Capture(
        place=place,
        method=request.method,
        url=request.uri,
        request_body=_decompressed(
            _cassette_body(request, "request"), _header(request_headers, "content-encoding")
        ),
        status=response.status,
        content_type=_header(headers, "content-type"),
        body=_ended(_decompressed(body, _header(headers, "content-encoding"))),
        started=_started(entry.recorded_at),
        request_headers=tuple(_cassette_headers(request.headers)),
        retry_after=_header(headers, "retry-after"),
    )


def _started(recorded_at: Any) -> str:
    """The time of an interaction in ISO 8601. Cassetter writes it so, VCR as in HTTP headers."""
    text = recorded_at if isinstance(recorded_at, str) else ""
    try:
        return parsedate_to_datetime(text).isoformat()
    except ValueError:
        return text


def _cassette_body(message: _CassetteRequest | _CassetteResponse, where: str) -> bytes:
    """A body: a string, ``{string}`` (vcrpy), this or ``{base64_string}`` (VCR), JSON under
    ``parsed_body`` (pydantic-ai), or ``{type, content}`` (Cassetter).
    """
    if message.parsed_body is not None:
        return json_bytes(message.parsed_body, f"{where}.parsed_body")
    body, where = message.body, f"{where}.body"
    if isinstance(body, dict):
        kind, content = body.get("type"), body.get("content")
        # In TOML files JSON is a string, because TOML has no null.
        if kind == "json" and not isinstance(content, str):
            return json_bytes(content, f"{where}.content")
        if kind == "binary":
            try:
                return bytes.fromhex(str(content))
            except ValueError:
                raise CaptureError(f"{where}.content is not hexadecimal") from None
        if isinstance(packed := body.get("base64_string"), str):
            # Ruby breaks the lines of what it encodes.
            return _unbase64("".join(packed.split()), f"{where}.base64_string")
        body = content if "type" in body else body.get("string")
    if isinstance(body, bytes):
        return body
    if body is None or isinstance(body, str):
        return _utf8(body or "")
    raise CaptureError(f"{where} is {json_type(body)}, not a string")


def json_bytes(value: Any, where: str) -> bytes:
    """``value`` as JSON, within bounds: YAML aliases make huge values of short files."""
    text = StringIO()
    try:
        for part in json.JSONEncoder(ensure_ascii=False).iterencode(value):
            text.write(part)
            if text.tell() > MAX_BODY:
                raise CaptureError(f"{where} is longer than {mebibytes(MAX_BODY)}")
    except CaptureError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise CaptureError(f"{where} is not JSON: {error}") from None
    return _utf8(text.getvalue())


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _pairs(value: Any) -> Iterator[tuple[str, str]]:
    """The names and values of a list in a HAR file; other items are skipped."""
    for pair in mappings(value):
        if {"name", "value"} <= pair.keys():
            yield str(pair["name"]), str(pair["value"])


def _cassette_headers(headers: Any) -> Iterator[tuple[str, str]]:
    """The headers of a cassette, each with one value or a list of them; lists in these are skipped,
    since YAML aliases make huge ones of short files.
    """
    for name, value in headers.items() if isinstance(headers, dict) else ():
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, list | dict | set):
                yield str(name), each.decode("latin-1") if isinstance(each, bytes) else str(each)


def _header(headers: dict[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")


def _decompressed(data: bytes, coding: str) -> bytes:
    if not data:
        return data
    try:
        return unpacked(coding, data, MAX_BODY)
    except PackingError as error:
        # Some cassettes hold the decompressed body with the header of the compressed one.
        if data.lstrip().startswith((b"{", b"[")) or is_stream("", data):
            return data
        raise CaptureError(
            f"the body {error}; vcrpy stores it readably with decode_compressed_response=True"
        ) from None


def _ended(body: bytes) -> bytes:
    """A stream with the blank line after its last event, which files lose where lines at the end
    are stripped: the event itself has to be whole.
    """
    if not is_stream("", body):
        return body
    last = sse.unended(body.decode("utf-8", "replace")) + "\n\n"
    with suppress(ValueError, RecursionError, StopIteration):
        json.loads(next(sse.events(last.encode())).data)
        return body + b"\n\n"
    return body
