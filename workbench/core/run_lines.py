"""The lines of a run's journal.

A journal is JSONL. Its first line is the header; an exchange, a checkpoint mark, what the
application made of a reply and the end are a line each, told apart by ``type``, which stands
first. Keys that are not known here are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from workbench.core.digest import json_type
from workbench.core.fields import Fields
from workbench.core.runs import (
    FORMAT,
    End,
    Exchange,
    Header,
    Mark,
    NewerFormatError,
    Outcome,
    Parent,
    Parsed,
    Raised,
    Record,
    Returned,
    RunFormatError,
    Sent,
)

# How the line of an exchange begins as this program writes it.
EXCHANGE: Final = b'{"type":"exchange"'
_PARSED: Final = re.compile(rb'\{"type":"parsed","position":(\d{1,18}),')


def line(record: Record) -> bytes:
    """The line of a record.

    Raises:
        RunFormatError: a value in it is no JSON value.
    """
    try:
        text = json.dumps(
            _value(record), ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise RunFormatError(f"not a JSON value: {error}") from None
    # A lone surrogate has no UTF-8 form; its JSON escape is what backslashreplace writes.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def parsed_position(data: bytes, at: int = 0) -> int | None:
    """The position of what an application made of a reply, told without reading its line, which
    begins at ``at``; None for another line.
    """
    found = _PARSED.match(data, at)
    return int(found[1]) if found else None


def parse(data: bytes) -> Record | None:
    """The record of a line; None for a type that is not known (written by a later version).

    Raises:
        NewerFormatError: a header of a later format.
        RunFormatError: anything else that cannot be read; a line that was cut too.
    """
    try:
        value = json.loads(data)
    except UnicodeDecodeError as error:
        raise RunFormatError(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise RunFormatError(f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise RunFormatError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise RunFormatError(f"the line is {json_type(value)}, not an object")
    read = _READERS.get(str(value.get("type")))
    return None if read is None else read(Fields(value, RunFormatError))


def _value(record: Record) -> dict[str, Any]:
    match record:
        case Header():
            parent = record.parent and {"run": record.parent.run, "at": record.parent.at}
            return {
                "type": "run",
                "format": FORMAT,
                "id": record.id,
                "name": record.name,
                "started": record.started,
                **({"parent": parent} if parent else {}),
                **record.extra,
            }
        case Exchange():
            return {
                "type": "exchange",
                "position": record.position,
                "node": record.node,
                "call": record.call,
                "at_ms": record.at_ms,
                "ms": record.ms,
                "source": record.source,
                **({"digest": record.digest, "stream": record.stream} if record.is_chat else {}),
                **record.extra,
                "request": record.request,
                "reply": _outcome_value(record.outcome),
            }
        case Mark():
            return {
                "type": "checkpoint",
                "checkpoint": record.checkpoint,
                "after": record.after,
                "iteration": record.iteration,
                "state_keys": record.state_keys,
                "complete": record.is_complete,
            }
        case Parsed():
            return {"type": "parsed", "position": record.position, "value": record.value}
        case End():
            return {"type": "end", "problem": record.problem}


def _outcome_value(outcome: Outcome) -> dict[str, Any]:
    match outcome:
        case Sent():
            return {
                "status": outcome.status,
                "content_type": outcome.content_type,
                # Bytes that are no UTF-8 survive as lone surrogates.
                "body": outcome.body.decode("utf-8", "surrogateescape"),
                **({"frames": [list(frame) for frame in outcome.frames]} if outcome.frames else {}),
                "complete": outcome.is_complete,
            }
        case Returned():
            return {"value": outcome.value}
        case Raised():
            return {"raised": {"type": outcome.kind, "message": outcome.message}}


def _header(fields: Fields) -> Header:
    fields.any("type")
    found = fields.count("format")
    if found > FORMAT:
        raise NewerFormatError(found)
    if found < FORMAT:
        raise RunFormatError(f"Written by format {found}, which was never released. Not opened.")
    parent = None
    if fields.has("parent"):
        own = fields.nested("parent")
        parent = Parent(own.text("run"), own.count("at"))
    return Header(
        fields.text("id"), fields.text("name"), fields.text("started"), parent, fields.rest()
    )


def _exchange(fields: Fields) -> Exchange:
    fields.any("type")
    digest = fields.text("digest") if fields.has("digest") else None
    return Exchange(
        position=fields.count("position"),
        node=fields.text("node"),
        call=fields.count("call"),
        at_ms=fields.number("at_ms", 0.0),
        ms=fields.number("ms", 0.0),
        source=fields.text("source"),  # type: ignore[arg-type]  # shown, never decided on
        digest=digest,
        stream=fields.flag("stream", False),
        request=fields.any("request"),
        outcome=_outcome(fields.nested("reply")),
        extra=fields.rest(),
    )


def _outcome(fields: Fields) -> Outcome:
    if fields.has("raised"):
        raised = fields.nested("raised")
        return Raised(raised.text("type"), raised.text("message"))
    if not fields.has("status"):
        return Returned(fields.any("value"))
    return Sent(
        status=fields.count("status"),
        content_type=fields.text("content_type", ""),
        body=_body(fields.text("body")),
        frames=_frames(fields.any("frames") or []),
        is_complete=fields.flag("complete", True),
    )


def _body(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise RunFormatError(f"reply.body, character {error.start} stands for no byte") from None


def _frames(value: Any) -> tuple[tuple[float, int], ...]:
    try:
        return tuple((float(at), int(size)) for at, size in value)
    except (TypeError, ValueError, OverflowError):
        raise RunFormatError("reply.frames is no list of [milliseconds, bytes]") from None


def _mark(fields: Fields) -> Mark:
    return Mark(
        fields.text("checkpoint"),
        fields.count("after"),
        fields.count("iteration"),
        fields.count("state_keys", 0),
        fields.flag("complete", False),
    )


_READERS: Final[dict[str, Callable[[Fields], Record]]] = {
    "run": _header,
    "exchange": _exchange,
    "checkpoint": _mark,
    "parsed": lambda fields: Parsed(fields.count("position"), fields.any("value")),
    "end": lambda fields: End(fields.text("problem", "")),
}
