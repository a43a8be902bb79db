"""What is answered to a request, and why: the one answering function.

The server, the preview and everything else that shows or sends a reply calls ``answer``, so that
what is previewed is what is sent. How a reply looks in bytes is ``wire``'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workbench.core.apis.chat import request
from workbench.core.apis.chat.request import Payload
from workbench.core.digest import json_type
from workbench.core.fixtures.document import FixtureError
from workbench.core.json.spans import Path
from workbench.core.replies import delivery, directives
from workbench.core.replies.delivery import AT_ONCE, Delivery
from workbench.core.replies.directives import ArgumentFrames, CallTool, Emit

RESPONSE: Path = ("response",)
FALLBACK_TEXT = "I don't have enough information to answer that from the provided sources."
DIRECTIVE_CALL_TOKENS = 8
# The sum of two counts has to be written, and Python writes no number of more than 4,300 digits.
MOST_TOKENS = 10**4_000

AnswerSource = Literal["fixture", "directive", "fallback"]

# Gives the value of the fixture of a digest, or None. Raises FixtureError for a broken one.
Lookup = Callable[[str], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer's content, before it has a shape on the wire.

    Attributes:
        content: a string; anything else a fixture holds is passed on as it is.
        tool_calls: the list of the fixture, verbatim, or None.
        finish_reason: verbatim.
        prompt_tokens, completion_tokens: of the usage block; the total is their sum.
        usage: the usage block of the fixture, verbatim, for the details it may hold; or None.
        refusal: why the model does not answer; "" for an answer.
        reasoning: what the model thought before it answered, as far as it is told.
        argument_frames: how a directive wants its one call's arguments cut, else None.
        delivery: what becomes of it on its way.
    """

    content: Any
    tool_calls: Any
    finish_reason: Any
    prompt_tokens: int
    completion_tokens: int
    usage: Mapping[str, Any] | None = None
    refusal: str = ""
    reasoning: str = ""
    argument_frames: ArgumentFrames | None = None
    delivery: Delivery = AT_ONCE


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply with what it answers.

    Attributes:
        model: echoed from the request.
        include_usage: whether the request wants the token counts of a stream, too.
        source: what the reply came from; ``fallback`` is a miss.
        broken: why the fixture that exists could not be used, if so.
        problems: directives that could not be read, one sentence each.
    """

    digest: str
    model: Any
    reply: Reply
    source: AnswerSource
    broken: FixtureError | None = None
    problems: tuple[str, ...] = ()
    include_usage: bool = False


def answer(payload: Payload, digest: str, lookup: Lookup) -> Answer:
    """The answer to ``payload``: a directive's, else the fixture's, else the fallback."""
    prompt = request.prompt_text(payload)
    found = directives.find(prompt, offers_tools=bool(payload.get("tools")))
    reply: Reply | None = None
    source: AnswerSource = "fallback"
    broken: FixtureError | None = None
    if found.directive is not None:
        reply, source = _directive_reply(found.directive, prompt, digest), "directive"
    else:
        try:
            fixture = lookup(digest)
            if fixture is not None:
                reply, source = fixture_reply(fixture, prompt), "fixture"
        except FixtureError as error:
            broken = error
    return Answer(
        digest,
        payload.get("model") or "gpt-4o-mini",
        reply or _text_reply(FALLBACK_TEXT, prompt),
        source,
        broken,
        found.problems,
        request.include_usage(payload),
    )


def fixture_reply(fixture: Mapping[str, Any], prompt: str = "") -> Reply:
    """The reply a fixture holds, read as leniently as the reference server reads it.

    Args:
        prompt: the text of the request, whose tokens are estimated where the fixture has no count.

    Raises:
        FixtureError: where the reference would fail the request, and where a key of ours is
            not what it must be.
    """
    response = fixture.get("response") or {}
    if not isinstance(response, dict):
        message = f"response is {json_type(response)}, not an object"
        raise FixtureError("not-an-object", message, path=RESPONSE)
    content = response.get("content") or ""
    if not isinstance(content, str | list):
        message = f"content is {json_type(content)}, not a string"
        raise FixtureError("content-not-string", message, path=(*RESPONSE, "content"))
    usage = response.get("usage") or {}
    if not isinstance(usage, dict):
        message = f"usage is {json_type(usage)}, not an object"
        raise FixtureError("usage-shape", message, path=(*RESPONSE, "usage"))
    asked = delivery.read(response)  # which sees to it that refusal and reasoning are texts
    return Reply(
        content=content,
        tool_calls=response.get("tool_calls") or None,
        finish_reason=response.get("finish_reason") or "stop",
        prompt_tokens=_tokens(usage, "prompt_tokens", prompt),
        completion_tokens=_tokens(usage, "completion_tokens", content),
        usage=response.get("usage") or None,
        refusal=response.get("refusal") or "",
        reasoning=response.get("reasoning") or "",
        delivery=asked,
    )


def _tokens(usage: Mapping[str, Any], key: str, text: Any) -> int:
    if key not in usage:
        return request.estimate_tokens(text)
    path = (*RESPONSE, "usage", key)
    try:
        count = int(usage[key])
    except (TypeError, ValueError, OverflowError):
        message = f"usage.{key} is {json_type(usage[key])}, not a whole number"
        raise FixtureError("usage-shape", message, path=path) from None
    if abs(count) > MOST_TOKENS:
        message = f"usage.{key} is a number of too many digits"
        raise FixtureError("usage-shape", message, path=path)
    return count


def _text_reply(text: str, prompt: str) -> Reply:
    return Reply(
        content=text,
        tool_calls=None,
        finish_reason="stop",
        prompt_tokens=request.estimate_tokens(prompt),
        completion_tokens=request.estimate_tokens(text),
    )


def _directive_reply(directive: Emit | CallTool, prompt: str, digest: str) -> Reply:
    if isinstance(directive, Emit):
        return _text_reply(directive.content, prompt)
    call = {
        "index": 0,
        "id": f"call_e2e_{digest[:12]}",
        "type": "function",
        "function": {"name": directive.name, "arguments": directive.arguments},
    }
    return Reply(
        content="",
        tool_calls=[call],
        finish_reason="tool_calls",
        prompt_tokens=request.estimate_tokens(prompt),
        completion_tokens=DIRECTIVE_CALL_TOKENS,
        argument_frames=directive.frames,
    )
