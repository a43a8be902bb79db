"""Options of requests that replies do not honour."""

from __future__ import annotations

from typing import Final, Literal, get_args

IgnoredOption = Literal[
    "encoding_format",
    "dimensions",
    "that input is one list of tokens",
    "include_usage",
    "include",
    "logprobs",
    "citations",
]
IGNORED_OPTIONS: Final[tuple[IgnoredOption, ...]] = get_args(IgnoredOption)
ALWAYS_IGNORED: Final[dict[IgnoredOption, str]] = {
    "include": "replies only support reasoning.encrypted_content",
    "logprobs": "replies have none",
    "citations": "replies have none",
}
"""The options that no profile honours, with what replies have. Only profile ``stub`` ignores the
others, like the reference stub."""


def ignored_text(option: IgnoredOption) -> str:
    """The note that an option of a request is ignored, and what honours it."""
    if reason := ALWAYS_IGNORED.get(option):
        return f"ignored {option}: {reason}"
    return f"ignored {option}; --profile openai honours it"
