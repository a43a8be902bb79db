"""The kinds of what changes in a request from day to day, by their names."""

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
