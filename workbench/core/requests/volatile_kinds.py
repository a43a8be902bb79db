"""The kinds of volatile spans, as settings name them; ``requests.volatile`` finds the spans."""

from __future__ import annotations

from typing import Final, Literal, get_args

Kind = Literal["date", "time", "uuid", "call-id", "temp-path", "port", "epoch"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NAMES: Final[dict[Kind, str]] = {
    "date": "a date",
    "time": "a time",
    "uuid": "a UUID",
    "call-id": "a call id",
    "temp-path": "a temporary path",
    "port": "a port",
    "epoch": "a time stamp",
}
