"""The replies that a test scripts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from workbench.core.json.values import decoded
from workbench.core.replies.fixture_form import MAX_DELAY_MS
from workbench.core.replies.response import FixtureError, read_delivery
from workbench.core.replies.response import calls as tool_calls
from workbench.testing.arguments import (
    require,
    require_flags,
    require_number,
    require_text,
    require_texts,
    require_whole_number,
    wrong_type,
)

__tracebackhide__ = True  # failed tests show their own frames

_CUT_TEXT: Final = "This reply ends too early."


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of the model. Make it with one of the class methods::

        mock_llm.script(Reply.tool_call("get_weather", city="London"), Reply.text("Rain."))

    A reply never changes, so several scripts may use it.

    Attributes:
        response: the ``response`` of a fixture file, without IDs of tool calls.
        structured: JSON text that is sent where the request asks for structured output.
        unchecked: True to allow tool calls that do not fit the request.
        is_refused: True to refuse the connection.
    """

    response: Mapping[str, Any]
    structured: str | None = None
    unchecked: bool = False
    is_refused: bool = False

    @classmethod
    def text(cls, content: str, *, finish_reason: str = "stop") -> Reply:
        """Reply with text.

        Args:
            content: the text.
            finish_reason: ``stop``, or ``length`` for a text that the token limit cut off.

        Raises:
            TypeError: an argument is not a string.
        """
        if not isinstance(content, str):
            raise wrong_type("Reply.text", "content", content, "a string (Reply.json takes values)")
        require_text("Reply.text", "finish_reason", finish_reason)
        return cls({"content": content, "finish_reason": finish_reason})

    @classmethod
    def json(cls, value: Any, *, unchecked: bool = False) -> Reply:
        """Reply with structured output. The value becomes the content, or the arguments of the tool
        that ``tool_choice`` of the request forces.

        Args:
            value: a JSON value, a dataclass, or a pydantic model.
            unchecked: do not check the arguments of a forced tool.

        Raises:
            TypeError: ``value`` is not such a value.
        """
        require_flags("Reply.json", unchecked=unchecked)
        return cls({}, _json_text("Reply.json", "value", value), unchecked=unchecked)

    @classmethod
    def raw(cls, text: str) -> Reply:
        """Reply with ``text`` in the place where ``json`` puts its value, unchecked. Use it for
        output that is not JSON, is cut off, or does not match its schema.

        Args:
            text: the output.

        Raises:
            TypeError: ``text`` is not a string.
        """
        if not isinstance(text, str):
            raise wrong_type("Reply.raw", "text", text, "a string (Reply.json takes values)")
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
        """Reply with a call of one tool: ``Reply.tool_call("get_weather", city="London")``. The
        test fails if the request does not offer the tool, or if the arguments do not match its
        schema.

        Args:
            name: name of the tool.
            arguments: a dict, for arguments that cannot be keywords, such as ``unchecked``.
            unchecked: send the call even if it does not fit the request.
            more: arguments of the tool.

        Raises:
            TypeError: an argument has the wrong type, or is not a JSON value.
        """
        if not isinstance(unchecked, bool):
            raise TypeError(
                f"Reply.tool_call: unchecked must be True or False, got {unchecked!r}. If the tool "
                f"has an argument of this name, write Reply.tool_call({name!r}, {{'unchecked': …}})"
            )
        require_text("Reply.tool_call", "name", name)
        require("Reply.tool_call", "arguments", arguments, (Mapping, type(None)), "a dict")
        values = {**(arguments or {}), **more}
        text = _json_text("Reply.tool_call", f"the arguments of {name}", values)
        return cls._calling([{"name": name, "arguments": text}], unchecked=unchecked)

    @classmethod
    def tool_calls(cls, calls: Iterable[Mapping[str, Any]], *, unchecked: bool = False) -> Reply:
        """Reply with several tool calls in one turn; see ``tool_call``.

        Args:
            calls: ``{"name": …, "arguments": {…}}`` for each call, in order. Arguments may be a
                string, which is sent unchanged, for a model that writes invalid JSON.
            unchecked: send the calls even if they do not fit the request.

        Raises:
            TypeError: ``calls`` is not a list of such dicts.
        """
        require_flags("Reply.tool_calls", unchecked=unchecked)
        if isinstance(calls, str | Mapping) or not isinstance(calls, Iterable):
            raise wrong_type("Reply.tool_calls", "calls", calls, "a list of calls")
        return cls._calling(list(map(_function, calls)), unchecked=unchecked)

    @classmethod
    def _calling(cls, functions: list[dict[str, str]], *, unchecked: bool) -> Reply:
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
        """Reply with an error of the API: ``Reply.error(429, "Slow down.", retry_after=2)``.

        Args:
            status: HTTP status, 400 to 599.
            message: text of the error; by default that of the API, as for ``code`` and ``type``.
            retry_after: seconds, for the header ``Retry-After``.
            code, type: code and type of the error in the body.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: ``status`` or ``retry_after`` is out of range.
        """
        require_whole_number("Reply.error", "status", status, 400, 599)
        if retry_after is not None:
            require_number("Reply.error", "retry_after", retry_after)
        require_texts("Reply.error", message=message, code=code, type=type)
        error = {
            "status": status,
            "message": message or None,
            "type": type,
            "code": code,
            "retry_after": retry_after,
        }
        values = {key: value for key, value in error.items() if value is not None}
        response = {"error": values}
        try:
            read_delivery(response)
        except FixtureError as broken:
            raise ValueError(f"Reply.error: {broken}") from None
        return cls(response)

    @classmethod
    def timeout(cls) -> Reply:
        """Never reply, so that the client waits until its own time-out."""
        return cls({"delay_ms": MAX_DELAY_MS, "disconnect_after": 0})

    @classmethod
    def disconnect(cls, after: int = 0, *, content: str = _CUT_TEXT) -> Reply:
        """Close the connection after ``after`` frames of a stream (0: immediately). A client that
        does not stream gets headers, but no body.

        Args:
            after: number of frames.
            content: text of the reply, which is cut off.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: ``after`` is below 0.
        """
        require_whole_number("Reply.disconnect", "after", after, 0)
        require_text("Reply.disconnect", "content", content)
        return cls({"content": content, "disconnect_after": after})

    @classmethod
    def refused(cls) -> Reply:
        """Refuse the connection: a client of ``transport()`` gets ``ConnectError``, and a caller of
        ``as_call()`` gets ``ConnectionRefusedError``.

        Over HTTP this is the same as ``disconnect()``, because the server accepts a connection
        before it reads the request. For a real refusal, use a port on which nothing listens.
        """
        return cls({"content": "", "disconnect_after": 0}, is_refused=True)

    def after(self, seconds: float) -> Reply:
        """Return this reply with a delay: ``Reply.text("Rain.").after(2)``.

        Args:
            seconds: at least 0 and below 600.

        Raises:
            TypeError: ``seconds`` is not a number.
            ValueError: ``seconds`` is out of range.
        """
        return self._delayed("Reply.after", "delay_ms", seconds)

    def chunks_after(self, seconds: float) -> Reply:
        """Return this reply with a delay before each frame of its stream.

        Args:
            seconds: at least 0 and below 600.

        Raises:
            TypeError: ``seconds`` is not a number.
            ValueError: ``seconds`` is out of range.
        """
        return self._delayed("Reply.chunks_after", "chunk_delay_ms", seconds)

    def _delayed(self, function: str, key: str, seconds: float) -> Reply:
        require_number(function, "delay", seconds)
        most = MAX_DELAY_MS // 1000
        if not 0 <= seconds < most:
            raise ValueError(
                f"{function}: delay must be at least 0 and below {most} seconds, got {seconds}"
            )
        return replace(self, response={**self.response, key: round(seconds * 1000)})

    @property
    def never_comes(self) -> bool:
        """True for ``Reply.timeout()``."""
        return bool(self.response.get("delay_ms", 0) >= MAX_DELAY_MS)

    @property
    def content(self) -> str:
        """The text, or the JSON text of structured output."""
        text = self.response.get("content") or ""
        return self.structured if self.structured is not None else str(text)

    @property
    def calls(self) -> list[tuple[str, Any]]:
        """Name and arguments of each tool call. Arguments are a dict, or a string if they are not
        JSON.
        """
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


def _function(call: object) -> dict[str, str]:
    fields = dict(call) if isinstance(call, Mapping) else {}
    name, arguments = fields.get("name"), fields.get("arguments", {})
    is_known = fields.keys() <= {"name", "arguments"}
    if not (is_known and isinstance(name, str) and isinstance(arguments, str | Mapping)):
        expected = '{"name": str, "arguments": dict}'
        raise wrong_type("Reply.tool_calls", "each call", call, expected)
    if not isinstance(arguments, str):
        arguments = _json_text("Reply.tool_calls", f"the arguments of {name}", arguments)
    return {"name": name, "arguments": arguments}


def _json_text(function: str, name: str, value: Any) -> str:
    """``value`` as models write it, on one line without needless escapes. Raises TypeError."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        # Without the encoder's frames.
        raise TypeError(f"{function}: {name} must be a JSON value: {error}") from None


def as_json(value: Any) -> Any:
    """``value`` as JSON; a value without a JSON form becomes its text."""
    try:
        return json.loads(json.dumps(value, default=str), parse_constant=str)
    except (TypeError, ValueError, RecursionError):  # keys that are not strings, a circle
        return str(value)


def _plain(value: Any) -> Any:
    fields = dict(value) if isinstance(value, Mapping) else fields_of(value)
    if fields is None:
        raise TypeError(f"{type(value).__name__} {value!r} has no JSON form")
    return fields


def fields_of(value: Any) -> Any:
    """The fields of a pydantic model or a dataclass; None for other values."""
    if hasattr(type(value), "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return None
