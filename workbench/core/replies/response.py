"""The ``response`` of a fixture: a reply that has no API's shape yet, and how it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from workbench.core.json.form import Misfit, misfit_of, misfit_of_item, misfits
from workbench.core.json.spans import Edit, Path, dotted
from workbench.core.json.values import mapping, mappings, sequence
from workbench.core.replies.cutting import ArgumentFrames
from workbench.core.replies.fixture_form import (
    FIXTURE_FORM,
    MOST_TOKENS,
    RESPONSE_FORM,
    USAGE_FORM,
    WORKBENCH_ONLY_FORM,
)
from workbench.core.requests.messages import FunctionCall, read_call
from workbench.core.requests.view import estimate_tokens
from workbench.core.text.wording import ordinal

# The server's answer to a request without a fixture.
FALLBACK_TEXT: Final = "I don't have enough information to answer that from the provided sources."
# The code of the error that a miss gets in strict mode.
MISS_CODE: Final = "fixture_not_found"
RESPONSE: Final[Path] = ("response",)
FIRST: Final[Path] = ("first",)
_WORKBENCH_ONLY: Final = frozenset(WORKBENCH_ONLY_FORM.names)


class FixtureError(ValueError):
    """A fixture that cannot be used; the message is the reason.

    Attributes:
        rule: the validation rule it breaks.
        line, column: the place, from 1.
        path: path of the wrong value, in text that is JSON.
        fix: an edit of the decoded text that corrects it, if one is certain.
        text: the text as far as it could be decoded, for showing the lines around the place.
    """

    def __init__(
        self,
        rule: str,
        message: str,
        *,
        line: int = 1,
        column: int = 1,
        path: Path = (),
        fix: Edit | None = None,
        text: str = "",
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.line = line
        self.column = column
        self.path = path
        self.fix = fix
        self.text = text

    @property
    def place(self) -> str:
        return f"line {self.line}, column {self.column}"


class NotAReplyError(ValueError):
    """A body that is not a complete reply of an API; the message is the reason."""


class ErrorReply(NamedTuple):
    """An error of the API.

    Attributes:
        status: of HTTP, 400 to 599.
        type, code: "" and None: not given; each API has its own for a status.
        retry_after: seconds, for the header ``Retry-After``; None sends none.
        param: the parameter of the request that is wrong.
    """

    status: int
    message: str
    type: str = ""
    code: str | None = None
    retry_after: float | None = None
    param: str | None = None


def miss_error(message: str) -> ErrorReply:
    """The error for a request without a usable fixture, if it does not get the fallback."""
    return ErrorReply(404, message, "invalid_request_error", MISS_CODE)


class Delivery(NamedTuple):
    """How a reply is sent: delayed, truncated, or as an error. The reference stub ignores these
    keys.

    Attributes:
        error: sent instead of the reply.
        disconnect_after: close the connection after this many frames of a stream; a plain reply
            ends before its body. 0 closes it before anything is sent. None sends everything.
        delay_ms: the wait before the reply; 0 for none.
        chunk_delay_ms: the wait before each paced frame of a stream; 0 for none.
    """

    error: ErrorReply | None = None
    disconnect_after: int | None = None
    delay_ms: int = 0
    chunk_delay_ms: int = 0


AT_ONCE: Final = Delivery()


class NeutralReply(NamedTuple):
    """The content of a reply, before it is written in an API's format.

    Attributes:
        content: a string; any other value in a fixture is sent unchanged.
        tool_calls: the list of the fixture, verbatim, or None.
        finish_reason: None: not given; then ``end_reason`` is sent.
        prompt_tokens: from the usage block; None: not given there, and estimated from the request.
        completion_tokens: from the usage block; None: not given there, and estimated from the
            reply.
        usage: the usage block of the fixture, verbatim, for further details; or None.
        refusal: why the model does not answer; "" for an answer.
        reasoning: the model's reasoning before its answer, as far as the fixture has it.
        argument_frames: how a directive cuts the arguments of its one call, else None.
        response: the ``response`` of the fixture, verbatim; None without a fixture.
    """

    content: Any
    tool_calls: Any = None
    finish_reason: Any = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usage: Mapping[str, Any] | None = None
    refusal: str = ""
    reasoning: str = ""
    argument_frames: ArgumentFrames | None = None
    delivery: Delivery = AT_ONCE
    response: Mapping[str, Any] | None = None

    @property
    def calls(self) -> list[FunctionCall]:
        """The tool calls that are objects, as far as they have the shape of a call."""
        return calls({"tool_calls": self.tool_calls})

    @property
    def text(self) -> str:
        """The text of its content; for a list, the text of its parts."""
        if isinstance(self.content, str):
            return self.content
        texts = [part.get("text") for part in self.content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))

    @property
    def function_calls(self) -> list[FunctionCall]:
        """The calls of functions that have a name; some APIs have no others."""
        return [call for call in self.calls if call.name and not call.is_custom]

    @property
    def end_reason(self) -> Any:
        """The finish reason: as given, else ``tool_calls`` beside calls and ``stop`` without."""
        return self.finish_reason or ("tool_calls" if self.tool_calls else "stop")

    @property
    def estimated_tokens(self) -> int:
        """The number of tokens in its text and calls, at least one."""
        called = [f"{call.name}{call.arguments}" for call in self.calls]
        texts = [self.reasoning, self.content, self.refusal, *called]
        return max(1, sum(map(estimate_tokens, texts)))

    def usage_detail(self, details: str, key: str) -> int:
        """A count of the usage block's ``prompt_tokens_details`` and the like; 0 for none."""
        count = mapping((self.usage or {}).get(details)).get(key)
        return count if type(count) is int else 0


def fixture_replies(fixture: Mapping[str, Any]) -> tuple[NeutralReply, ...]:
    """The replies of a fixture, in the order in which they are sent: ``first``, then ``response``.
    They are read as leniently as the reference stub reads one.

    Raises:
        FixtureError: the reference stub would fail the request, or a key that only this server
            supports has a wrong value.
    """
    response = fixture.get("response") or {}
    if not isinstance(response, dict):
        raise _unusable(misfit_of(FIXTURE_FORM, "response", response))
    last = _reply(response, RESPONSE)
    return (*_first_replies(first_items(fixture)), last)


def fixture_reply(fixture: Mapping[str, Any]) -> NeutralReply:
    """The last reply of a fixture, which is sent to all later requests; most fixtures have only
    one. Raises FixtureError as ``fixture_replies``.
    """
    return fixture_replies(fixture)[-1]


def responses(fixture: Mapping[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The responses of a fixture that are objects, in the order in which an asker gets them, each
    with its path. The last one is empty where it is missing, as for ``fixture_replies``.
    """
    for index, response in enumerate(sequence(fixture.get("first"))):
        if isinstance(response, dict):
            yield (*FIRST, index), response
    if isinstance(response := fixture.get("response") or {}, dict):
        yield RESPONSE, response


def first_items(fixture: Mapping[str, Any]) -> list[Any]:
    """The list in ``first``; [] if it is missing. Raises FixtureError if it is not a list."""
    first = fixture.get("first")
    if first is None:
        return []
    if not isinstance(first, list):
        raise _unusable(misfit_of(FIXTURE_FORM, "first", first))
    return first


def response_of(path: Path) -> Path:
    """The path of the response that the value at ``path`` of a fixture belongs to; () for none."""
    if path[:1] == RESPONSE:
        return RESPONSE
    return path[:2] if path[:1] == FIRST and len(path) > 1 else ()


def requests_of(at: Path) -> str:
    """Which requests get the response at a path: ``1st request``, ``every later one``."""
    return f"{ordinal(int(at[-1]) + 1)} request" if at[:1] == FIRST else "every later one"


def with_place(path: Path, message: str) -> str:
    """A message about the value at ``path`` of a fixture. For a response in ``first`` it has the
    place: ``first[0].error.status is 99``, ``first[0]: content is missing``.
    """
    at = response_of(path)
    if at in (RESPONSE, ()):
        return message
    place, value = dotted(at), dotted(path[len(at) :])
    if message.startswith(place):
        return message
    return f"{place}{'.' if value and message.startswith(value) else ': '}{message}"


def _first_replies(first: list[Any]) -> Iterator[NeutralReply]:
    for index, response in enumerate(first):
        if not isinstance(response, dict):
            raise _unusable(misfit_of_item(FIXTURE_FORM, "first", index, response))
        yield _reply(response, (*FIRST, index))


def _reply(response: Mapping[str, Any], path: Path) -> NeutralReply:
    """The reply of the response at ``path``."""
    content = response.get("content") or ""
    if not isinstance(content, str | list):
        raise _unusable(misfit_of(RESPONSE_FORM, "content", content, path))
    usage = response.get("usage") or {}
    if not isinstance(usage, dict):
        raise _unusable(misfit_of(RESPONSE_FORM, "usage", usage, path))
    delivery = read_delivery(response, path)  # which checks that refusal and reasoning are strings
    return NeutralReply(
        content=content,
        tool_calls=response.get("tool_calls") or None,
        finish_reason=response.get("finish_reason") or None,
        prompt_tokens=_tokens(usage, "prompt_tokens", path),
        completion_tokens=_tokens(usage, "completion_tokens", path),
        usage=response.get("usage") or None,
        refusal=response.get("refusal") or "",
        reasoning=response.get("reasoning") or "",
        delivery=delivery,
        response=response,
    )


def _unusable(misfit: Misfit) -> FixtureError:
    return FixtureError(misfit.rule, with_place(misfit.path, misfit.message), path=misfit.path)


def _tokens(usage: Mapping[str, Any], key: str, path: Path) -> int | None:
    """A count of the usage of the response at ``path``."""
    if key not in usage:
        return None
    with suppress(TypeError, ValueError, OverflowError):
        count = int(usage[key])
        if abs(count) <= MOST_TOKENS:
            return count
    raise _unusable(misfit_of(USAGE_FORM, key, usage[key], (*path, "usage")))


def calls(response: Mapping[str, Any]) -> list[FunctionCall]:
    """The tool calls of a response that are objects, as far as they have the shape of a call."""
    return list(map(read_call, mappings(response.get("tool_calls"))))


# How it is delivered


def read_delivery(response: Mapping[str, Any], path: Path = RESPONSE) -> Delivery:
    """The delivery of the response at ``path``. Null counts as absent.

    Raises:
        FixtureError: rules ``not-an-object`` and ``reply-shape``; the first problem found.
    """
    if _WORKBENCH_ONLY.isdisjoint(response):
        return AT_ONCE
    for misfit in misfits(response, WORKBENCH_ONLY_FORM, path):
        raise _unusable(misfit)
    error = response.get("error")
    return Delivery(
        error=None if error is None else _error(error),
        disconnect_after=response.get("disconnect_after"),
        delay_ms=response.get("delay_ms") or 0,
        chunk_delay_ms=response.get("chunk_delay_ms") or 0,
    )


def _error(value: Mapping[str, Any]) -> ErrorReply:
    values = {key: of for key, of in value.items() if of is not None}
    status = values.get("status", 500)
    return ErrorReply(
        status,
        message=values.get("message", _phrase(status)),
        type=values.get("type", ""),
        code=values.get("code"),
        retry_after=values.get("retry_after"),
    )


def _phrase(status: int) -> str:
    from http import HTTPStatus  # few fixtures are errors

    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "error"
