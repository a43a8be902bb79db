"""What a mock answers: the replies that a test scripts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from workbench.core.apis.chat.request import Payload
from workbench.core.fixtures.skeleton import call_id, demanded_tool
from workbench.core.json import spans
from workbench.core.replies.delivery import MAX_DELAY_MS

_CUT_TEXT: Final = "This reply breaks off before its end."


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of the model, made by one of the class methods.

    A reply is a value: it may stand in several scripts, and two that say the same are equal.

    Attributes:
        response: as the ``response`` of a fixture file says it; calls have no ids yet.
        structured: JSON text that goes where the request wants structured output, else None.
        unchecked: whether its tool calls may be such as no model would make: of a tool that is not
            offered, or with arguments that do not fit its schema.
        is_refused: whether the connection is refused, instead of a reply.
    """

    response: Mapping[str, Any]
    structured: str | None = None
    unchecked: bool = False
    is_refused: bool = False

    @classmethod
    def text(cls, content: str, *, finish_reason: str = "stop") -> Reply:
        """Plain content; ``finish_reason="length"`` for one that was cut by the token limit.

        Raises:
            TypeError: it is no text.
        """
        __tracebackhide__ = True
        if not isinstance(content, str):
            raise TypeError(
                f"Reply.text takes text, not {type(content).__name__}; Reply.json a value"
            )
        return cls({"content": content, "finish_reason": finish_reason})

    @classmethod
    def json(cls, value: Any, *, unchecked: bool = False) -> Reply:
        """Structured output: ``value`` as content, or as the arguments of the tool that the
        request's ``tool_choice`` forces; these are checked as by ``tool_call``.

        Args:
            value: a JSON value, a dataclass, or a model with pydantic's ``model_dump``.
            unchecked: send it whatever the tool's schema says.

        Raises:
            TypeError: it is none of these.
        """
        __tracebackhide__ = True
        return cls({}, _json_text(value), unchecked=unchecked)

    @classmethod
    def raw(cls, text: str) -> Reply:
        """``text`` as it is, unchecked, in the place where ``json`` puts its value: for output that
        is no JSON, is cut, or does not fit its schema.

        Raises:
            TypeError: it is no text.
        """
        __tracebackhide__ = True
        if not isinstance(text, str):
            raise TypeError(f"Reply.raw takes text, not {type(text).__name__}; Reply.json a value")
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

        Over HTTP it is checked like that of a fixture: the request must offer the tool, and the
        arguments must fit its schema, or the test fails.

        Args:
            arguments: those whose names cannot be written as keywords, ``unchecked`` among them.
            unchecked: send it whatever the request offers.
            more: further arguments.

        Raises:
            TypeError: ``unchecked`` is meant for the tool, or arguments are no JSON values.
        """
        __tracebackhide__ = True
        if not isinstance(unchecked, bool):
            raise TypeError(
                f"unchecked is True or False, not {unchecked!r}; an argument of the tool that has "
                f"this name stands in a dict: Reply.tool_call({name!r}, {{'unchecked': …}})"
            )
        call = {"name": name, "arguments": {**(arguments or {}), **more}}
        return cls.tool_calls([call], unchecked=unchecked)

    @classmethod
    def tool_calls(cls, calls: Iterable[Mapping[str, Any]], *, unchecked: bool = False) -> Reply:
        """Several calls in one turn, in this order; checked as by ``tool_call``.

        Args:
            calls: each ``{"name": …, "arguments": …}``; arguments that are a string are sent as
                they are, for a model that writes what is no JSON.
            unchecked: send them whatever the request offers.

        Raises:
            TypeError: they are no list, or a call has another shape.
        """
        __tracebackhide__ = True
        if isinstance(calls, str | Mapping):
            given = type(calls).__name__
            raise TypeError(f"Reply.tool_calls takes a list of calls, not {given}: {calls!r}")
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
            retry_after: seconds, for the header of that name.

        Raises:
            ValueError: a status that is no error.
        """
        __tracebackhide__ = True
        if not 400 <= status <= 599:
            raise ValueError(f"{status} is no error; errors have status 400 to 599")
        error = {
            "status": status,
            "message": message or None,
            "type": type,
            "code": code,
            "retry_after": retry_after,
        }
        return cls({"error": {key: value for key, value in error.items() if value is not None}})

    @classmethod
    def timeout(cls) -> Reply:
        """No reply: the client waits until its own time-out."""
        return cls({"delay_ms": MAX_DELAY_MS, "disconnect_after": 0})

    @classmethod
    def disconnect(cls, after: int = 0, *, content: str = _CUT_TEXT) -> Reply:
        """A connection that closes after that many frames of a stream; 0: before any reply. A
        plain request gets half of its reply.
        """
        __tracebackhide__ = True
        if after < 0:
            raise ValueError(f"a connection cannot close after {after} frames")
        return cls({"content": content, "disconnect_after": after})

    @classmethod
    def refused(cls) -> Reply:
        """No connection: ``ConnectError`` through ``transport()``, ``ConnectionRefusedError`` from
        ``as_call()``.

        Over HTTP the server has accepted the connection before it reads the request, so it can only
        close it before the first byte of a reply, as ``disconnect()`` does. For a refusal there
        give the application the address of a port on which nothing listens.
        """
        return cls({"content": "", "disconnect_after": 0}, is_refused=True)

    def after(self, seconds: float) -> Reply:
        """This reply, that much later than its request."""
        __tracebackhide__ = True
        return self._delayed("delay_ms", seconds)

    def chunks_after(self, seconds: float) -> Reply:
        """This reply, each frame of its stream that much after the one before."""
        __tracebackhide__ = True
        return self._delayed("chunk_delay_ms", seconds)

    def _delayed(self, key: str, seconds: float) -> Reply:
        __tracebackhide__ = True
        delay_ms = round(seconds * 1000)
        if not 0 <= delay_ms < MAX_DELAY_MS:
            most = MAX_DELAY_MS // 1000
            raise ValueError(f"a delay of {seconds} s; expected 0 to less than {most} s")
        return replace(self, response={**self.response, key: delay_ms})

    @property
    def never_comes(self) -> bool:
        return bool(self.response.get("delay_ms", 0) >= MAX_DELAY_MS)

    def placed(self, payload: Payload, digest: str) -> Reply:
        """This reply as the answer to one request: structured output where it is wanted, and ids
        of calls derived from the digest.
        """
        response = self.response
        if self.structured is not None:
            tool = demanded_tool(payload)
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

    @property
    def content(self) -> str:
        """Its text; of structured output its JSON."""
        text = self.response.get("content") or ""
        return self.structured if self.structured is not None else str(text)

    @property
    def calls(self) -> list[tuple[str, Any]]:
        """Name and arguments of its tool calls; arguments that are no JSON as their text."""
        functions = [call["function"] for call in self.response.get("tool_calls") or []]
        return [(f["name"], _value(f["arguments"])) for f in functions]

    def __str__(self) -> str:
        """One line that says what it is."""
        error, cut = self.response.get("error"), self.response.get("disconnect_after")
        if error is not None:
            said = f"{error['status']} {error.get('message', '')}"
        elif self.never_comes:
            said = "(no reply)"
        elif self.is_refused:
            said = "(connection refused)"
        elif cut is not None:
            said = f"(cut after {cut} frames)"
        elif self.calls:
            said = ", ".join(f"{name}({_arguments(given)})" for name, given in self.calls)
        else:
            said = self.content or "(empty)"
        return " ".join(said.split())


def _function(call: object) -> dict[str, str]:
    __tracebackhide__ = True
    given = dict(call) if isinstance(call, Mapping) else {}
    name, arguments = given.get("name"), given.get("arguments", {})
    is_known = given.keys() <= {"name", "arguments"}
    if not (is_known and isinstance(name, str) and isinstance(arguments, str | Mapping)):
        raise TypeError(f'a call is {{"name": str, "arguments": dict}}, not {given or call!r}')
    text = arguments if isinstance(arguments, str) else _json_text(arguments)
    return {"name": name, "arguments": text}


def _json_text(value: Any) -> str:
    """``value`` as models write it: one line, nothing escaped beyond need. Raises TypeError."""
    __tracebackhide__ = True
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except TypeError as error:
        raise TypeError(str(error)) from None  # without the encoder's frames
    except (ValueError, RecursionError) as error:
        raise TypeError(f"this is no JSON value: {error}") from None


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value: {value!r}")


def _value(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _arguments(given: Any) -> str:
    if not isinstance(given, dict):
        return str(given)
    return ", ".join(f"{name}={spans.dumps(value)}" for name, value in given.items())
