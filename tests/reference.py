"""The reference data that tests are held against: what the real stub server did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parent / "data" / "reference"
API_REQUESTS = Path(__file__).parent / "data" / "apis" / "requests.jsonl"
LOG = REFERENCE / "logs" / "agents-and-burst.log"
AGENT_FIXTURES = REFERENCE / "agent_fixtures"


def short_log() -> bytes:
    """The beginning of ``LOG``, up to its seventh miss."""
    return b"".join(LOG.read_bytes().splitlines(keepends=True)[:28])


def _lines(name: str) -> list[dict[str, Any]]:
    with (REFERENCE / name).open(encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


def digests() -> list[dict[str, Any]]:
    """``{payload, digest}``, 401 of them."""
    return _lines("digests.jsonl")


def exchanges() -> list[dict[str, Any]]:
    """``{payload, digest, fixture, status, content_type, body, log}``, 240 of them; ``created`` is
    0 in each body (in a stream written ``"created":0``).
    """
    return _lines("exchanges.jsonl")


def embeddings() -> list[dict[str, Any]]:
    """``{input, response}``, each vector cut to [first, second, last, length]."""
    return _lines("embeddings.jsonl")


def api_requests() -> list[dict[str, Any]]:
    """``{client, api, path, headers, body, chat, digest}``: requests of real clients of the other
    three APIs that need no earlier reply to be understood.
    """
    lines = map(json.loads, API_REQUESTS.read_bytes().splitlines())
    return [asked for asked in lines if asked["digest"] and not _continues(asked["body"])]


def _continues(body: dict[str, Any]) -> bool:
    items = body.get("input")
    named = isinstance(items, list) and any(item.get("type") == "item_reference" for item in items)
    return named or "previous_response_id" in body or "thread" in body
