"""Directives in the text of a request that pin its reply, whatever fixtures there are.

``[[MOCK_LLM_EMIT:<base64url>]]`` is the content to answer with; the last readable one wins.
``[[MOCK_LLM_TOOLCALL:<name>:once|repeat|delta|truncated[:<base64url>]]]`` is a call, honoured only
when the request offers tools: a real provider cannot call what was not offered.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Literal, cast

ArgumentFrames = Literal["once", "repeat", "delta", "truncated"]

_EMIT = re.compile(r"\[\[MOCK_LLM_EMIT:([A-Za-z0-9_=\-]+)\]\]")
_TOOL_CALL = re.compile(
    r"\[\[MOCK_LLM_TOOLCALL:([A-Za-z0-9_\-]+):(once|repeat|delta|truncated)"
    r"(?::([A-Za-z0-9_=\-]+))?\]\]"
)
_MARK = "[[MOCK_LLM_"


@dataclass(frozen=True, slots=True)
class Emit:
    """Answer with this content."""

    content: str


@dataclass(frozen=True, slots=True)
class CallTool:
    """Answer with one call; ``frames`` says how its arguments are cut in a stream."""

    name: str
    arguments: str
    frames: ArgumentFrames


@dataclass(frozen=True, slots=True)
class Directives:
    """What the text of a request asks for.

    Attributes:
        directive: the one that decides, or None.
        problems: one sentence for each directive that could not be read, for the log.
    """

    directive: Emit | CallTool | None
    problems: tuple[str, ...] = ()


def find(text: str, *, offers_tools: bool) -> Directives:
    """The directive in the text of a request that decides the reply, and those that could not be
    read.

    Args:
        offers_tools: whether the request offers tools that can be called.
    """
    if _MARK not in text:
        return Directives(None)
    problems: list[str] = []
    call: CallTool | None = None
    for match in _TOOL_CALL.finditer(text):
        name, frames, encoded = match.groups()
        arguments = _decode("MOCK_LLM_TOOLCALL args", encoded, problems) if encoded else None
        if arguments is None:
            arguments = "{}"
        call = CallTool(name, arguments, cast(ArgumentFrames, frames))
    if call is not None and offers_tools:
        return Directives(call, tuple(problems))
    emit: Emit | None = None
    for match in _EMIT.finditer(text):
        content = _decode("MOCK_LLM_EMIT payload", match[1], problems)
        emit = emit if content is None else Emit(content)
    return Directives(emit, tuple(problems))


def _decode(what: str, encoded: str, problems: list[str]) -> str | None:
    try:
        padded = encoded + "=" * (-len(encoded) % 4)
        return base64.urlsafe_b64decode(padded.encode("ascii")).decode("utf-8")
    except ValueError as error:
        problems.append(f"bad {what} {encoded!r}: {error}")
        return None
