"""The JSON in the body of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from workbench.core.answering.errors import RefusedError
from workbench.core.request_body import RequestError, parse_request

MAX_VALUES: Final = 250_000
"""Limit of the keys and values in the JSON of a body. Python reads JSON in one go: with millions of
them all other requests would wait.
"""
_LONGEST_KIND: Final = 100


def other_type(headers: Mapping[str, str]) -> str:
    """The content type that a request announces in place of JSON; "" if it does not. Names of
    headers are in lower case.
    """
    content_type = headers.get("content-type")
    return _kind(content_type) if content_type and not _is_json_type(content_type) else ""


def require_uncompressed(headers: Mapping[str, str]) -> None:
    """Raise RefusedError for a request whose body is compressed."""
    coding = headers.get("content-encoding")
    if coding is not None and coding.strip().lower() != "identity":
        raise RefusedError(
            415,
            "unsupported_media_type",
            f"the body is compressed ({_kind(coding)!a}); send it uncompressed",
        )


def require_body(headers: Mapping[str, str], body: bytes) -> None:
    """Raise RefusedError for a body that was lost on its way."""
    if not body and "upgrade" in headers:
        raise RefusedError(
            400,
            "upgrade_offered",
            "the body was lost, because the request offers to upgrade the connection; make the "
            "client use HTTP/1.1 (in Java: HttpClient.Version.HTTP_1_1)",
        )


def parse_body(body: bytes, kind: str = "") -> dict[str, Any]:
    """The JSON object in a body of any content type, because curl announces a form by default.

    Args:
        kind: the ``other_type`` of the request.

    Raises:
        RequestError: the body is not a JSON object.
        RefusedError: the body has another content type and no JSON, or too many values.
    """
    if _has_too_many_values(body):
        raise RefusedError(
            413, "too_many_values", f"the body has more than {MAX_VALUES:,} keys and values"
        )
    try:
        return parse_request(body)
    except RequestError as error:
        if not kind:
            raise
        raise RefusedError(
            415,
            "unsupported_media_type",
            f"the content type is {kind!a}, and {error}; send JSON as application/json",
        ) from None


def _has_too_many_values(body: bytes) -> bool:
    """True if JSON contains more keys and values than the limit. Counts the punctuation outside of
    strings instead of parsing the values.
    """
    if len(body) <= MAX_VALUES:
        return False
    plain = body.replace(rb"\\", b"").replace(rb"\"", b"")  # without what is escaped
    if plain.count(b'"') > 2 * MAX_VALUES:
        return True
    outside = b"".join(plain.split(b'"')[::2])
    return sum(map(outside.count, (b",", b":", b"[", b"{"))) > MAX_VALUES


def _kind(header: str) -> str:
    """The value of a header without its parameters, which may be anything."""
    return header.partition(";")[0].strip().lower()[:_LONGEST_KIND]


def _is_json_type(header: str) -> bool:
    if header == "application/json":
        return True
    kind = _kind(header)
    return kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )
