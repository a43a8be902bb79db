"""What requests ask for and profile ``stub``, like the reference server, does not do."""

from __future__ import annotations

from typing import Final, Literal, get_args

IgnoredOption = Literal[
    "encoding_format", "dimensions", "that input is one list of tokens", "include_usage"
]
IGNORED_OPTIONS: Final[tuple[IgnoredOption, ...]] = get_args(IgnoredOption)
