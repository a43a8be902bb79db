"""Finds the answer to a request: a directive in its text, else its fixture, else the fallback.

The server, the mocks, the preview and everything else that shows or sends a reply calls
``find_answer``, so that the preview shows what is sent. An API's package turns the answer into
bytes.

A directive in the text of a request decides its reply, whatever fixtures there are:
``[[MOCK_LLM_EMIT:<base64url>]]`` is the content to answer with; the last readable one wins.
``[[MOCK_LLM_TOOLCALL:<name>:once|repeat|delta|truncated[:<base64url>]]]`` is a tool call, honoured
only when the request offers tools: a real provider cannot call what was not offered.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, cast

from workbench.core.replies.cutting import ArgumentFrames
from workbench.core.replies.response import (
    FALLBACK_TEXT,
    FixtureError,
    NeutralReply,
    fixture_reply,
)
from workbench.core.requests.messages import chat_call
from workbench.core.requests.view import RequestView

DIRECTIVE_CALL_TOKENS: Final = 8

AnswerSource = Literal["fixture", "directive", "fallback"]

Lookup = Callable[[str], Mapping[str, Any] | None]
"""Gives the value of the fixture of a digest, or None. Raises FixtureError for a broken one."""

# Compiled on first use: few programs have requests with directives.
_EMIT: Final = r"\[\[MOCK_LLM_EMIT:([A-Za-z0-9_=\-]+)\]\]"
_TOOL_CALL: Final = (
    r"\[\[MOCK_LLM_TOOLCALL:([A-Za-z0-9_\-]+):(once|repeat|delta|truncated)"
    r"(?::([A-Za-z0-9_=\-]+))?\]\]"
)
_MARK: Final = "[[MOCK_LLM_"


class Answer(NamedTuple):
    """A reply with the request that it answers.

    Attributes:
        source: origin of the reply; ``fallback`` means a miss.
        broken: why the existing fixture could not be used, or None.
        problems: a sentence for each unreadable directive, for the log.
    """

    request: RequestView
    digest: str
    reply: NeutralReply
    source: AnswerSource
    broken: FixtureError | None = None
    problems: tuple[str, ...] = ()

    @property
    def prompt_tokens(self) -> int:
        """The tokens of the request, from the fixture or estimated, at least one."""
        stated = self.reply.prompt_tokens
        return self.request.prompt_tokens if stated is None else stated

    @property
    def cached_tokens(self) -> int:
        """The number of the request's tokens that were read from a cache, from the fixture."""
        cached = self.reply.usage_detail("prompt_tokens_details", "cached_tokens")
        return cached if 0 <= cached <= self.prompt_tokens else 0

    @property
    def completion_tokens(self) -> int:
        """The tokens of the reply, from the fixture or estimated, at least one."""
        stated = self.reply.completion_tokens
        return self.reply.estimated_tokens if stated is None else stated

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @property
    def not_offered(self) -> list[str]:
        """The tools that are called although the request offers others: they had this name when the
        fixture was written. To a request that offers none, any call is sent without a word.
        """
        if not self.reply.tool_calls or not self.request.offers_tools:
            return []
        offered = {tool.name for tool in self.request.tools}
        called = dict.fromkeys(call.name for call in self.reply.calls)
        return [name for name in called if name not in offered]


def find_answer(
    request: RequestView,
    digest: str,
    lookup: Lookup,
    read: Callable[[Mapping[str, Any]], NeutralReply] = fixture_reply,
) -> Answer:
    """The answer to a request: a directive's, else the fixture's, else the fallback.

    Args:
        read: reads the reply of a fixture; may raise FixtureError.
    """
    reply, problems = _directive_reply(request, digest)
    source: AnswerSource = "directive"
    broken: FixtureError | None = None
    if reply is None:
        try:
            fixture = lookup(digest)
            if fixture is not None:
                reply, source = read(fixture), "fixture"
        except FixtureError as error:
            broken = error
    if reply is None:
        reply, source = _text_reply(FALLBACK_TEXT), "fallback"
    return Answer(request, digest, reply, source, broken, tuple(problems))


def answer_with(request: RequestView, response: Mapping[str, Any]) -> Answer:
    """The answer with this ``response`` of a fixture, whatever directives are in the request.
    Raises FixtureError if none can be made of it.
    """
    reply = fixture_reply({"response": response})
    return Answer(request, request.digest, reply, "fixture")


def _text_reply(text: str) -> NeutralReply:
    return NeutralReply(content=text, finish_reason="stop")


# Directives


def _directive_reply(request: RequestView, digest: str) -> tuple[NeutralReply | None, list[str]]:
    """The reply that a directive in the prompt requests, and the problems of its directives."""
    prompt, problems = request.prompt_text, list[str]()
    if _MARK not in prompt:
        return None, problems
    call: NeutralReply | None = None
    for match in re.finditer(_TOOL_CALL, prompt):
        name, frames, encoded = match.groups()
        arguments = _decode("MOCK_LLM_TOOLCALL args", encoded, problems) if encoded else None
        arguments = "{}" if arguments is None else arguments
        call = _call_reply(digest, name, arguments, cast(ArgumentFrames, frames))
    if call is not None and request.offers_tools:
        return call, problems
    contents = [
        _decode("MOCK_LLM_EMIT payload", m[1], problems) for m in re.finditer(_EMIT, prompt)
    ]
    readable = [content for content in contents if content is not None]
    return (_text_reply(readable[-1]) if readable else None), problems


def _decode(what: str, encoded: str, problems: list[str]) -> str | None:
    try:
        padded = encoded + "=" * (-len(encoded) % 4)
        return base64.urlsafe_b64decode(padded.encode("ascii")).decode("utf-8")
    except ValueError as error:
        problems.append(f"bad {what} {encoded!r}: {error}")
        return None


def _call_reply(digest: str, name: str, arguments: str, frames: ArgumentFrames) -> NeutralReply:
    call = chat_call(f"call_e2e_{digest[:12]}", name, arguments)
    return NeutralReply(
        content="",
        tool_calls=[{"index": 0, **call}],
        finish_reason="tool_calls",
        completion_tokens=DIRECTIVE_CALL_TOKENS,
        argument_frames=frames,
    )
