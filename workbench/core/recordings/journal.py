"""The lines of a recording's journal.

A journal is JSONL. The first line is the header; exchanges, checkpoint marks, parsed replies and
the end are one line each, with a ``type`` as the first key. Unknown keys are kept.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any, Final

from workbench.core.formats import FormatError, checked, parse_json
from workbench.core.json.values import json_type
from workbench.core.recordings.exchanges import (
    FORMAT,
    CheckpointMark,
    End,
    Exchange,
    Header,
    NewerFormatError,
    Outcome,
    Parsed,
    Raised,
    Record,
    Returned,
    Sent,
    unsendable,
)
from workbench.core.written.named_in_request import without_credentials
from workbench.core.written.reply import reply_without_credentials

# How this program begins the line of an exchange.
EXCHANGE: Final = b'{"type":"exchange"'
_PARSED: Final = re.compile(rb'\{"type":"parsed","position":(\d{1,18}),')


def line(record: Record) -> bytes:
    """The line of a record.

    Raises:
        FormatError: it contains something that is not a JSON value, or a reply that no server can
            send.
    """
    if isinstance(record, Exchange):
        _check(record.outcome)
    try:
        text = json.dumps(
            to_json(record), ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"not a JSON value: {error}") from None
    # UTF-8 has no lone surrogates; backslashreplace writes their JSON escapes.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def parsed_position(data: bytes) -> int | None:
    """The position in a line of type ``parsed``, without parsing it; None for another line."""
    match = _PARSED.match(data)
    return int(match[1]) if match else None


def parse(data: bytes) -> Record | None:
    """The record of a line; None for an unknown type (written by a later version).

    Raises:
        NewerFormatError: a header of a later format.
        FormatError: it cannot be read, for example because it was cut.
    """
    value = parse_json(data)
    if not isinstance(value, dict):
        raise FormatError(f"the line is {json_type(value)}, not an object")
    return from_json(value)


def to_json(record: Record) -> dict[str, Any]:
    """The JSON object of a record."""
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
                **({"test": record.test} if record.test else {}),
                **record.extra,
                "request": without_credentials(record.payload)
                if record.is_chat
                else record.request,
                "reply": _outcome_value(record.outcome),
            }
        case CheckpointMark():
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
            body = reply_without_credentials(outcome.body)
            return {
                "status": outcome.status,
                "content_type": outcome.content_type,
                # Bytes that are not UTF-8 are kept as lone surrogates.
                "body": body.decode("utf-8", "surrogateescape"),
                **({"frames": [list(frame) for frame in outcome.frames]} if outcome.frames else {}),
                "complete": outcome.is_complete,
            }
        case Returned():
            return {"value": outcome.value}
        case Raised():
            return {"raised": {"type": outcome.kind, "message": outcome.message}}


def from_json(value: dict[str, Any]) -> Record | None:
    """The record of a JSON object. Returns and raises as ``parse``."""
    value = dict(value)
    match value.pop("type", None):
        case "run":
            number = checked(int, value.pop("format", None), "format")
            if number > FORMAT:
                raise NewerFormatError(number)
            if number < FORMAT:
                raise FormatError(f"written in format {number}, which no version of workbench uses")
            header = checked(Header, _with_extra(Header, value))
            if header.parent is not None and header.parent.at < 1:
                raise FormatError(f"parent.at is {header.parent.at}, not the number of an exchange")
            return header
        case "exchange":
            outcome = _outcome(checked(dict, value.pop("reply", None), "reply"))
            own = {"request": None, **value, "outcome": outcome}
            return checked(Exchange, _with_extra(Exchange, own))
        case "checkpoint":
            is_complete = checked(bool, value.get("complete", False), "complete")
            return checked(CheckpointMark, {**value, "is_complete": is_complete})
        case "parsed":
            return checked(Parsed, value)
        case "end":
            return checked(End, value)
    return None


def _with_extra(kind: type[Header | Exchange], value: dict[str, Any]) -> dict[str, Any]:
    """``value`` with the keys that ``kind`` does not have moved to ``extra``."""
    names = {each.name for each in fields(kind)} - {"extra"}
    extra = {key: value.pop(key) for key in [key for key in value if key not in names]}
    return {**value, "extra": extra}


def _outcome(reply: dict[str, Any]) -> Outcome:
    if "raised" in reply:
        raised = checked(dict, reply["raised"], "reply.raised")
        kind = checked(str, raised.get("type"), "reply.raised.type")
        return checked(Raised, {**raised, "kind": kind}, "reply.raised")
    if "status" not in reply:
        return Returned(reply.get("value"))
    text = checked(str, reply.get("body"), "reply.body")
    try:
        body = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise FormatError(f"reply.body, character {error.start} stands for no byte") from None
    own = {
        "content_type": "",
        **reply,
        "body": body,
        "is_complete": checked(bool, reply.get("complete", True), "reply.complete"),
    }
    sent = checked(Sent, own, "reply")
    _check(sent)
    return sent


def _check(outcome: Outcome) -> None:
    if isinstance(outcome, Sent) and (problem := unsendable(outcome)):
        raise FormatError(f"reply.{problem}")
