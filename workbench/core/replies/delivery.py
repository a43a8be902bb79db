"""How a fixture wants its reply delivered: late, cut off, or an error in its place.

These are keys of a response that the reference server does not know. What may be wrong with them,
and with the texts it does not know either, stands here once, for those who answer and for the rule
that checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from workbench.core.digest import json_type
from workbench.core.fixtures.document import FixtureError
from workbench.core.json.spans import Path

MAX_DELAY_MS: Final = 600_000

_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error in the shape of the OpenAI API.

    Attributes:
        status: of HTTP, 400 to 599.
        retry_after: seconds, for the header ``Retry-After``; None sends none.
    """

    status: int
    message: str
    type: str
    code: str | None = None
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """What becomes of a reply on its way.

    Attributes:
        error: goes out in its place.
        disconnect_after: so many frames of a stream go out, then the connection is closed; a plain
            reply breaks off before its body. 0 closes it before anything is sent. None lets all
            through.
        delay_ms: the wait before the reply; 0 asks for none.
        chunk_delay_ms: the wait before each paced frame of a stream; 0 asks for none.
    """

    error: ErrorReply | None = None
    disconnect_after: int | None = None
    delay_ms: int = 0
    chunk_delay_ms: int = 0


AT_ONCE: Final = Delivery()


def read(response: Mapping[str, Any]) -> Delivery:
    """The delivery a response asks for. Null counts as absent.

    Raises:
        FixtureError: rules ``not-an-object`` and ``reply-shape``; the first of what is wrong.
    """
    if response.keys().isdisjoint(_CHECKS):
        return AT_ONCE
    error = response.get("error")
    if error is not None and not isinstance(error, dict):
        message = f"error is {json_type(error)}, not an object"
        raise FixtureError("not-an-object", message, path=("response", "error"))
    for path, message in problems(response):
        raise FixtureError("reply-shape", message, path=("response", *path))
    return Delivery(
        error=None if error is None else _error(error),
        disconnect_after=response.get("disconnect_after"),
        delay_ms=response.get("delay_ms") or 0,
        chunk_delay_ms=response.get("chunk_delay_ms") or 0,
    )


def _error(value: Mapping[str, Any]) -> ErrorReply:
    given = {key: of for key, of in value.items() if of is not None}
    status = given.get("status", 500)
    return ErrorReply(
        status,
        message=given.get("message", _PHRASES.get(status, "error")),
        type=given.get("type", "server_error" if status >= 500 else "invalid_request_error"),
        code=given.get("code"),
        retry_after=given.get("retry_after"),
    )


def problems(response: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """What is wrong with these keys of a response: where in it, and what."""
    for key, check in _CHECKS.items():
        if response.get(key) is not None:
            yield from check((key,), response[key])
    if response.get("error") is not None and response.get("disconnect_after") is not None:
        yield ("disconnect_after",), "disconnect_after stands beside error; expected one of them"


def _wrong_error(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    if not isinstance(value, dict):  # which is not-an-object
        return
    for key in ("message", "type", "code"):
        text = value.get(key)
        if text is not None and not isinstance(text, str):
            yield (*path, key), f"error.{key} is {json_type(text)}; expected a string"
    status, seconds = value.get("status"), value.get("retry_after")
    if status is not None and not (type(status) is int and 400 <= status <= 599):
        yield (*path, "status"), f"error.status is {_shown(status)}; expected 400 to 599"
    if seconds is not None and not (_is_number(seconds) and seconds >= 0):
        message = f"error.retry_after is {_shown(seconds)}; expected seconds, 0 or more"
        yield (*path, "retry_after"), message


def _wrong_text(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    if not isinstance(value, str):
        yield path, f"{path[-1]} is {json_type(value)}; expected a string"


def _wrong_count(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    if not (type(value) is int and value >= 0):
        yield path, f"disconnect_after is {_shown(value)}; expected a number of frames, 0 or more"


def _wrong_delay(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    if not (type(value) is int and 0 <= value <= MAX_DELAY_MS):
        most = f"{MAX_DELAY_MS:,}"
        yield path, f"{path[-1]} is {_shown(value)}; expected whole milliseconds, 0 to {most}"


def _is_number(value: object) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _shown(value: object) -> str:
    """A number as it is, of anything else the type."""
    text = str(value) if type(value) in (int, float) else json_type(value)
    return text if len(text) <= 20 else f"{text[:19]}…"


_CHECKS: Final[dict[str, Callable[[Path, Any], Iterator[tuple[Path, str]]]]] = {
    "refusal": _wrong_text,
    "reasoning": _wrong_text,
    "error": _wrong_error,
    "disconnect_after": _wrong_count,
    "delay_ms": _wrong_delay,
    "chunk_delay_ms": _wrong_delay,
}
