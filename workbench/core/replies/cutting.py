"""Cuts content and arguments into the pieces of a stream."""

from __future__ import annotations

from typing import Any, Final, Literal

PIECES: Final = 5

ArgumentFrames = Literal["once", "repeat", "delta", "truncated"]
"""How the arguments of a directive's one call are cut."""


def split_content(content: Any) -> list[Any]:
    """``content`` cut into pieces of ceil(n / 5) characters; one empty piece for nothing."""
    if not content:
        return [content]
    size = -(-len(content) // PIECES)
    return [content[i : i + size] for i in range(0, len(content), size)]


def argument_pieces(arguments: str, frames: ArgumentFrames | None) -> list[str]:
    """The arguments of a call, cut according to a directive if there is one."""
    if frames:
        return split_arguments(arguments, frames)
    return split_content(arguments) if arguments else []


def split_arguments(arguments: str, frames: ArgumentFrames) -> list[str]:
    """The arguments of a directive's one call, cut as the directive requests."""
    middle = len(arguments) // 2
    return {
        "once": [arguments],
        "repeat": [arguments, arguments],
        "delta": [arguments[:middle], arguments[middle:]] if middle else [arguments],
        "truncated": [_truncated(arguments)],
    }[frames]


def _truncated(arguments: str) -> str:
    """``arguments`` without their last character, so that no client can parse them: white space at
    the end does not count, and what would leave nothing becomes the start of an object.
    """
    written = arguments.rstrip()
    return written[:-1] if len(written) > 1 else '{"'
