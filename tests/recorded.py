"""Recorded runs to test with, written as a recorder writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.core.digest import digest
from workbench.core.recordings.branches import replaced
from workbench.core.recordings.exchanges import (
    CheckpointMark,
    End,
    Exchange,
    Header,
    Parent,
    Parsed,
    Record,
    Returned,
)
from workbench.io.recordings.journal import SUFFIX, JournalWriter

TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
CALL = {
    "id": "call_c62fad60",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "London"}'},
}


def ask(*messages: dict[str, Any], model: str = "gpt-4o") -> dict[str, Any]:
    """The request of an LLM call."""
    return {"model": model, "messages": list(messages), "tools": [TOOL]}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def chat(
    position: int,
    payload: dict[str, Any],
    response: dict[str, Any],
    *,
    node: str = "ask",
    call: int = 1,
    stream: bool = False,
) -> Exchange:
    """An LLM call that was answered with ``response``."""
    asked = Exchange(
        position, node, call, payload, Returned(None), digest(payload), stream=stream,
        at_ms=position * 4.0, ms=3.0,
    )  # fmt: skip
    return replace(replaced(asked, response), source="fixture")


FIRST = ask(user("weather in London?"))
SECOND = ask(
    user("weather in London?"),
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_c62fad60", "content": "12C rain"},
)
WEATHER: Sequence[Record] = (
    chat(1, FIRST, {"content": "", "tool_calls": [CALL], "finish_reason": "tool_calls"}),
    CheckpointMark("first", 1, 1, 4),
    Exchange(2, "get_weather", 1, {"city": "London"}, Returned("12C rain"), at_ms=9.0),
    chat(3, SECOND, {"content": "12 degrees and rain."}, call=2, stream=True),
    Parsed(3, {"degrees": 12}),
    CheckpointMark("second", 3, 2, 5, is_complete=True),
    End(),
)


def write_recording(
    folder: Path,
    run: str,
    records: Sequence[Record] = WEATHER,
    *,
    name: str = "weather-agent",
    started: str = "2026-11-20T10:09:22+01:00",
    parent: Parent | None = None,
) -> Path:
    """Write a journal; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{run}{SUFFIX}"
    writer = JournalWriter(path, Header(run, name, started, parent))
    for record in records:
        writer.append(record)
    writer.close()
    return path
