"""The replies that a test scripts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from workbench.core.apis.table import view
from workbench.core.fixture.skeleton import call_id, demanded_tool
from workbench.core.json.values import decoded, is_number
from workbench.core.replies.fixture_form import MAX_DELAY_MS
from workbench.core.replies.response import FixtureError, read_delivery
from workbench.core.replies.response import calls as tool_calls
from workbench.core.requests.view import Payload

__tracebackhide__ = True  # failed tests show their own frames

# The rules for tool calls. Arguments that are not JSON are written on purpose.
_RULES: Final = ("tool-not-offered", "arguments-not-object", "arguments-schema")
_CUT_TEXT: Final = "This reply ends too early."


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of the model, made by one of the class methods. It may be used in several scripts.

    Attributes:
        response: like the ``response`` of a fixture file, without ids of tool calls.
        structured: JSON text, to be put where the request asks for structured output.
        unchecked: allow calls of tools that are not offered, and arguments that do not match the
            schema of the tool.
        is_refused: refuse the connection instead of replying.
    """

    response: Mapping[str, Any]
    structured: str | None = None
    unchecked: bool = False
    is_refused: bool = False

    @classmethod
    def text(cls, content: str, *, finish_reason: str = "stop") -> Reply:
        """Plain content; ``finish_reason="length"`` for one cut off by the token limit. Raises
        TypeError if ``content`` is not a text.
        """
        _require_text("text", content)
        return cls({"content": content, "finish_reason": finish_reason})

    @classmethod
    def json(cls, value: Any, *, unchecked: bool = False) -> Reply:
        """Structured output: ``value`` as content, or as the arguments of the tool that the
        request's ``tool_choice`` forces, checked as for ``tool_call``.

        Args:
            value: a JSON value, a dataclass or a pydantic model.

        Raises:
            TypeError: ``value`` is none of these.
        """
        return cls({}, _json_text(value), unchecked=unchecked)

    @classmethod
    def raw(cls, text: str) -> Reply:
        """``text``, unchecked, where ``json`` puts its value: for output that is invalid JSON, is
        cut off, or does not match its schema. Raises TypeError if it is not a text.
        """
        _require_text("raw", text)
        return cls({}, text, unchecked=True)

    @classmethod
    def tool_call(
        cls,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        /,
        *,
        unchecked: bool = False,
        **more: Any,
    ) -> Reply:
        """A call of one tool: ``Reply.tool_call("get_weather", city="London")``.

        Over HTTP the test fails if the request does not offer the tool, or the arguments do not
        match its schema.

        Args:
            arguments: those that cannot be written as keywords, such as ``unchecked``.
            unchecked: do not check that.
            more: further arguments.

        Raises:
            TypeError: ``unchecked`` was meant for the tool, or an argument is not a JSON value.
        """
        if not isinstance(unchecked, bool):
            raise TypeError(
                f"unchecked is True or False, not {unchecked!r}; an argument of the tool that has "
                f"this name goes into a dict: Reply.tool_call({name!r}, {{'unchecked': …}})"
            )
        call = {"name": name, "arguments": {**(arguments or {}), **more}}
        return cls.tool_calls([call], unchecked=unchecked)

    @classmethod
    def tool_calls(cls, calls: Iterable[Mapping[str, Any]], *, unchecked: bool = False) -> Reply:
        """Several calls in one turn, in this order; checked as for ``tool_call``.

        Args:
            calls: each ``{"name": …, "arguments": …}``; arguments given as a string are sent
                unchanged, for a model that writes invalid JSON.

        Raises:
            TypeError: ``calls`` is not a list, or a call has another shape.
        """
        if isinstance(calls, str | Mapping):
            kind = type(calls).__name__
            raise TypeError(f"Reply.tool_calls takes a list of calls, not {kind}: {calls!r}")
        functions = list(map(_function, calls))
        written = [{"type": "function", "function": function} for function in functions]
        response = {"content": "", "tool_calls": written, "finish_reason": "tool_calls"}
        return cls(response, unchecked=unchecked)

    @classmethod
    def error(
        cls,
        status: int,
        message: str = "",
        *,
        retry_after: float | None = None,
        code: str | None = None,
        type: str | None = None,
    ) -> Reply:
        """An error of the API.

        Args:
            status: of the HTTP reply, 400 to 599.
            message, code, type: of the error in the body; those of the API by default.
            retry_after: seconds, for the header of that name.

        Raises:
            TypeError: ``status`` or ``retry_after`` is not a number.
            ValueError: an argument has another value that no fixture may have.
        """
        _require_number("status", status)
        if retry_after is not None:
            _require_number("retry_after", retry_after)
        error = {
            "status": status,
            "message": message or None,
            "type": type,
            "code": code,
            "retry_after": retry_after,
        }
        values = {key: value for key, value in error.items() if value is not None}
        return cls(_deliverable({"error": values}))

    @classmethod
    def timeout(cls) -> Reply:
        """No reply: the client waits until its own time-out."""
        return cls({"delay_ms": MAX_DELAY_MS, "disconnect_after": 0})

    @classmethod
    def disconnect(cls, after: int = 0, *, content: str = _CUT_TEXT) -> Reply:
        """Close the connection after that many frames of a stream; 0: before any reply. A plain
        request gets no body.

        Args:
            content: what the stream would say, which is cut off.
        """
        _require_number("after", after)
        return cls(_deliverable({"content": content, "disconnect_after": after}))

    @classmethod
    def refused(cls) -> Reply:
        """Refuse the connection: ``ConnectError`` through ``transport()``, and
        ``ConnectionRefusedError`` from ``as_call()``.

        Over HTTP the connection is accepted before the request is read, so that this is the same as
        ``disconnect()``. For a real refusal use a port on which nothing listens.
        """
        return cls({"content": "", "disconnect_after": 0}, is_refused=True)

    def after(self, seconds: float) -> Reply:
        """This reply, delayed. Raises ValueError unless it is 0 to less than 600 seconds."""
        return self._delayed("delay_ms", seconds)

    def chunks_after(self, seconds: float) -> Reply:
        """This reply, with each frame of its stream delayed by so much; see ``after``."""
        return self._delayed("chunk_delay_ms", seconds)

    def _delayed(self, key: str, seconds: float) -> Reply:
        _require_number("a delay", seconds)
        delay_ms = round(seconds * 1000)
        if not 0 <= delay_ms < MAX_DELAY_MS:
            most = MAX_DELAY_MS // 1000
            raise ValueError(f"a delay of {seconds} s; expected 0 to less than {most} s")
        return replace(self, response={**self.response, key: delay_ms})

    @property
    def never_comes(self) -> bool:
        return bool(self.response.get("delay_ms", 0) >= MAX_DELAY_MS)

    def placed(self, payload: Payload, digest: str) -> Reply:
        """This reply for one request: with structured output where the request asks for it, and ids
        of tool calls, which are derived from the digest.
        """
        response = self.response
        if self.structured is not None:
            tool = demanded_tool(view(payload))
            if tool is None:
                response = {"content": self.structured, "finish_reason": "stop", **response}
            else:
                call = {"name": tool.name, "arguments": self.structured}
                response = {**Reply.tool_calls([call]).response, **response}
        calls = response.get("tool_calls")
        if calls:
            named = [{"index": i, "id": call_id(digest, i), **call} for i, call in enumerate(calls)]
            response = {**response, "tool_calls": named}
        return replace(self, response=response, structured=None)

    def misfit(self, payload: Payload, purpose: str) -> str:
        """Why no model could make its tool calls, each with its tool, the place in the arguments
        and what the schema requires; "" where one could, or where that is not to be checked.

        Args:
            purpose: what the reply is for, as ``scripted for …``.
        """
        if self.unchecked or not self.response.get("tool_calls"):
            return ""
        from workbench.core.fixture import rules

        text = json.dumps({"response": self.response})
        findings = rules.check(text, rules.Context(requests=(payload,)))
        names = [call.name for call in tool_calls(self.response)]
        wrong = [f"{names[int(f.path[2])]}, {f.message}" for f in findings if f.rule in _RULES]
        return does_not_fit(purpose, wrong) if wrong else ""

    @property
    def content(self) -> str:
        """Its text; its JSON if it is structured output."""
        text = self.response.get("content") or ""
        return self.structured if self.structured is not None else str(text)

    @property
    def calls(self) -> list[tuple[str, Any]]:
        """Name and arguments of its tool calls; arguments that are invalid JSON as text."""
        functions = [call["function"] for call in self.response.get("tool_calls") or []]
        return [(f["name"], decoded(f["arguments"])) for f in functions]

    def __str__(self) -> str:
        """One line for people."""
        error, cut = self.response.get("error"), self.response.get("disconnect_after")
        if error is not None:
            text = f"{error['status']} {error.get('message', '')}"
        elif self.never_comes:
            text = "(no reply)"
        elif self.is_refused:
            text = "(connection refused)"
        elif cut is not None:
            text = f"(cut after {cut} frames)"
        elif self.calls:
            text = ", ".join(call.brief for call in tool_calls(self.response))
        else:
            text = self.content or "(empty)"
        return " ".join(text.split())


def does_not_fit(purpose: str, wrong: Iterable[str]) -> str:
    """That a reply does not fit the request that it is for, with what is wrong and what to do."""
    lines = [
        f"The reply {purpose} does not fit it:",
        *(f"  {problem}" for problem in wrong),
        "If that is what the test is about, add unchecked=True to the Reply.",
    ]
    return "\n".join(lines)


def _require_text(method: str, value: object) -> None:
    if not isinstance(value, str):
        kind = type(value).__name__
        raise TypeError(f"Reply.{method} takes text, not {kind}; Reply.json a value")


def _require_number(name: str, value: object) -> None:
    if not is_number(value):
        raise TypeError(f"{name} is a number, not {type(value).__name__} {value!r}")


def _deliverable(response: dict[str, Any]) -> dict[str, Any]:
    """``response``, with values that a fixture may have. Raises ValueError."""
    try:
        read_delivery(response)
    except FixtureError as error:
        raise ValueError(str(error)) from None
    return response


def _function(call: object) -> dict[str, str]:
    fields = dict(call) if isinstance(call, Mapping) else {}
    name, arguments = fields.get("name"), fields.get("arguments", {})
    is_known = fields.keys() <= {"name", "arguments"}
    if not (is_known and isinstance(name, str) and isinstance(arguments, str | Mapping)):
        raise TypeError(f'a call is {{"name": str, "arguments": dict}}, not {fields or call!r}')
    text = arguments if isinstance(arguments, str) else _json_text(arguments)
    return {"name": name, "arguments": text}


def _json_text(value: Any) -> str:
    """``value`` as models write it, on one line without needless escapes. Raises TypeError."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except TypeError as error:
        raise TypeError(str(error)) from None  # without the encoder's frames
    except (ValueError, RecursionError) as error:
        raise TypeError(f"this is not a JSON value: {error}") from None


def as_json(value: Any) -> Any:
    """``value`` as JSON has it; what has no such form as its text."""
    try:
        return json.loads(json.dumps(value, default=str), parse_constant=str)
    except (TypeError, ValueError, RecursionError):  # keys that are not strings, a circle
        return str(value)


def _plain(value: Any) -> Any:
    fields = dict(value) if isinstance(value, Mapping) else fields_of(value)
    if fields is None:
        raise TypeError(f"{type(value).__name__} is not a JSON value: {value!r}")
    return fields


def fields_of(value: Any) -> Any:
    """What a pydantic model or a dataclass contains; None for anything else."""
    if hasattr(type(value), "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return None
