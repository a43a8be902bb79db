"""What came of the clients when they were last tried, as the manual has it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).parents[1] / "data" / "clients.json"
_LOCK: Final = threading.Lock()


@dataclass(frozen=True)
class Result:
    """A client when it was last tried.

    Attributes:
        client: its name.
        versions: of its packages.
        part: what of the packages was tried, "" if that is no matter.
        needs: what the user writes, "" if it finds the server as it comes.
        works: whether it did, by mode.
        date: when it was tried, as 2026-11-28.
    """

    client: str
    language: str
    api: str
    versions: Mapping[str, str]
    part: str
    needs: str
    works: Mapping[str, bool]
    date: str


def read_results() -> dict[str, Result]:
    """The results by the names of the clients."""
    rows = json.loads(FILE.read_text("utf-8")) if FILE.exists() else []
    return {row["client"]: Result(**row) for row in rows}


def keep(result: Result) -> None:
    """Write a result to the others, one a line, in place of what is there of its client."""
    with _LOCK:
        results = {**read_results(), result.client: result}
        rows = [json.dumps(asdict(results[name]), ensure_ascii=False) for name in sorted(results)]
        FILE.write_text("[\n" + ",\n".join(rows) + "\n]\n", "utf-8")
