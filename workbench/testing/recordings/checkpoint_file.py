"""Read the file of a checkpoint, in several formats, and handwritten replies.

In a file without a format, ``mock-responses`` contains for each node the sent value, the received
value and, as ``parsed``, the application's interpretation. ``next-expected-responses`` of the
metadata contains only received values: the content of an LLM call as text or JSON, or the return
value of another call.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final

from workbench.core.formats import checked
from workbench.core.json.values import json_type
from workbench.core.recordings import journal as lines
from workbench.core.recordings.exchanges import Exchange, NewerFormatError, Returned
from workbench.testing.recordings.values import decode

FORMAT: Final = 1
# The key of an exchange for what the application made of its reply.
PARSED: Final = "parsed"
_EXPECTED: Final = ("next-expected-responses", "next_expected_responses")


class CheckpointError(ValueError):
    """A checkpoint cannot be read. The message contains the file and the reason."""


@dataclass(slots=True)
class _RecordingKeys:
    """Where in a recording a checkpoint was saved."""

    id: str | None = None
    journal: str | None = None
    position: int | None = None


@dataclass(slots=True)
class _Keys:
    """The known keys of the file."""

    # People write checkpoints by hand, with numbers for ids.
    __pydantic_config__: ClassVar[dict[str, bool]] = {"coerce_numbers_to_str": True}

    id: str
    timestamp: str
    project_id: str
    ds_id: str
    iteration: int
    state: Any
    run: _RecordingKeys | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    complete: bool | None = None
    metadata: dict[str, Any] | None = None
    exchanges: list[dict[str, Any]] | None = None
    expected: dict[int, Any] | None = None


_KEY_NAMES: Final = {each.name for each in fields(_Keys)}


def read(value: object) -> dict[str, Any]:
    """The attributes of a ``Checkpoint`` from the JSON value of its file.

    Raises:
        NewerFormatError: it has a later format.
        ValueError: it is invalid.
    """
    if not isinstance(value, dict):
        raise CheckpointError(f"a checkpoint must be an object, got {json_type(value)}")
    value = _in_format_1(value)
    keys = checked(_Keys, {key: item for key, item in value.items() if key in _KEY_NAMES})
    run = keys.run or _RecordingKeys()
    metadata = dict(keys.metadata or {})
    records = [lines.from_json(record) for record in keys.exchanges or ()]
    exchanges = [record for record in records if isinstance(record, Exchange)]
    exchanges += _expected(metadata, exchanges)
    return {
        "id": keys.id,
        "timestamp": keys.timestamp,
        "project_id": keys.project_id,
        "ds_id": keys.ds_id,
        "iteration": keys.iteration,
        "state": decode(keys.state),
        "step": str(metadata.pop("step", "")),
        "run": _file_name("id", run.id),
        "journal": _file_name("journal", run.journal),
        "position": run.position or 0,
        "parent_id": keys.parent_id or "",
        "thread_id": keys.thread_id or "",
        "is_complete": bool(keys.complete),
        "metadata": decode(metadata),
        "exchanges": tuple(exchanges) if exchanges or keys.exchanges is not None else None,
        "expected": {number: decode(state) for number, state in (keys.expected or {}).items()},
        "extra": {k: v for k, v in value.items() if k not in _KEY_NAMES and k != "format"},
    }


def _file_name(key: str, name: str | None) -> str:
    """A name of the recording's file. Raises CheckpointError if no file can have it."""
    name = name or ""
    try:
        is_name = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise CheckpointError(f"run.{key}: {json.dumps(name)} cannot be a file name")
    return name


def _in_format_1(value: dict[str, Any]) -> dict[str, Any]:
    """A checkpoint of any format. One without a format has dashes and prefixes in its keys, and
    ``mock-responses``.
    """
    number = value.get("format", 0)
    if not isinstance(number, int) or isinstance(number, bool):
        raise CheckpointError(f"format must be a number, got {json_type(number)}")
    if number > FORMAT:
        raise NewerFormatError(number, FORMAT)
    if number:
        return value
    own = {key.rpartition("/")[2].replace("-", "_"): item for key, item in value.items()}
    if responses := own.pop("mock_responses", None):
        responses = checked(dict[str, dict[str, Any]], responses, "mock-responses")
        own["exchanges"] = [
            lines.to_json(_mock_response(position, node, response))
            for position, (node, response) in enumerate(responses.items(), 1)
        ]
    return own


def _mock_response(position: int, node: str, response: Mapping[str, Any]) -> Exchange:
    """The first key of such an entry is the sent value, the second the received one."""
    values = [item for key, item in response.items() if key != PARSED]
    if len(values) < 2:
        raise ValueError(
            f"mock-responses.{node} needs two keys: what was sent, then what came back"
        )
    sent, received = values[:2]
    extra = {PARSED: response[PARSED]} if PARSED in response else {}
    return Exchange(position, node, 1, {"0": sent}, Returned(received), extra=extra)


def _expected(metadata: dict[str, Any], recorded: Sequence[Exchange]) -> Iterator[Exchange]:
    """The ``next-expected-responses``, removed from ``metadata``, of nodes without a recorded
    exchange. Raises FormatError.
    """
    nodes = {exchange.node for exchange in recorded}
    position = max((exchange.position for exchange in recorded), default=0)
    for key in _EXPECTED:
        written = checked(dict[str, Any], metadata.pop(key, None) or {}, f"metadata.{key}")
        for node, response in written.items():
            if node not in nodes:
                position += 1
                yield Exchange(position, node, 1, request=None, outcome=Returned(response))
