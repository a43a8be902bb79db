"""Options of requests that replies do not honour."""

from __future__ import annotations

from typing import Final, Literal, get_args

IgnoredOption = Literal[
    "encoding_format",
    "dimensions",
    "that input is one list of tokens",
    "include_usage",
    "include",
]
IGNORED_OPTIONS: Final[tuple[IgnoredOption, ...]] = get_args(IgnoredOption)
ALWAYS_IGNORED: Final[IgnoredOption] = "include"
"""The option that no profile honours; the others are ignored by profile ``stub`` alone, like the
reference server does."""


def ignored_text(option: IgnoredOption) -> str:
    """The note that an option of a request is ignored, and what honours it."""
    if option == ALWAYS_IGNORED:
        return f"ignored {option}: of what it can name, replies have reasoning.encrypted_content"
    return f"ignored {option}; --profile openai honours it"
