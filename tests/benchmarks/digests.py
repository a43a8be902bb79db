"""Row 15: what a digest costs beside what has to be done for it."""

from __future__ import annotations

import hashlib
import json
import time

from tests.benchmarks.place import Place
from tests.benchmarks.table import Row
from tests.reference import digests
from workbench.core.digest import canonical, digest

TIMES = 40
# As agents send: instructions of some length before what was said.
INSTRUCTIONS = {"role": "system", "content": "You are a careful assistant — naïve at times. " * 180}
PAYLOADS = [
    {**payload, "messages": [INSTRUCTIONS, *payload["messages"]]}
    for payload in (row["payload"] for row in digests())
    if isinstance(payload.get("messages"), list)
]
OBJECTS = [canonical(payload) for payload in PAYLOADS]


def ours(_: Place) -> float:
    begun = time.process_time()
    for _turn in range(TIMES):
        for payload in PAYLOADS:
            digest(payload)
    return time.process_time() - begun


def dumped_and_hashed(_: Place) -> float:
    """The very object a digest is made of."""
    begun = time.process_time()
    for _turn in range(TIMES):
        for found in OBJECTS:
            text = json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return time.process_time() - begun


ROWS = [Row(15, "digest of a request", "json.dumps and SHA-256", 1.1, ours, dumped_and_hashed)]
