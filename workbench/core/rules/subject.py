"""The document that rules look at, taken apart once for all of them."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.core import digest, jsonplaces, requests, volatile
from workbench.core.digest import RequestError
from workbench.core.fixtures import allowed_rules
from workbench.core.jsonspan import JSONSyntaxError, Path
from workbench.core.requests import Payload
from workbench.core.rules import jsontext, schema
from workbench.core.rules.jsontext import JSONText
from workbench.core.rules.model import Context, Problem
from workbench.core.rules.schema import Verdict

RESPONSE: Path = ("response",)
CONTENT: Path = ("response", "content")
TOOL_CALLS: Path = ("response", "tool_calls")
SUFFIX = ".json"


@dataclass
class Call:
    """One item of ``tool_calls`` that is an object, as far as it has the shape of a call.

    Attributes:
        index: its place in the list.
        name: of the function, or "".
        arguments: the JSON text, or None where they are no string.
    """

    index: int
    value: dict[str, Any]
    function: dict[str, Any]
    name: str
    arguments: str | None

    @property
    def path(self) -> Path:
        return (*TOOL_CALLS, self.index)

    @property
    def name_path(self) -> Path:
        return (*self.path, "function", "name")

    @property
    def arguments_path(self) -> Path:
        return (*self.path, "function", "arguments")

    @property
    def label(self) -> str:
        return f"call {self.index}"

    @property
    def text(self) -> JSONText | None:
        """The arguments as JSON, where they are."""
        return self.parsed if isinstance(self.parsed, JSONText) else None

    @cached_property
    def parsed(self) -> JSONText | JSONSyntaxError | None:
        """The arguments read as JSON, or why they cannot be; None where they are no string."""
        return None if self.arguments is None else _read(self.arguments)


@dataclass(frozen=True)
class Checked:
    """A JSON text inside the document, held against a schema of one of the requests.

    Attributes:
        path: of the string that holds the text.
        label: what stands before the messages.
        owner: whose schema it is: the tool's name, the format's name.
    """

    path: Path
    label: str
    owner: str
    verdict: Verdict


@dataclass
class Subject:
    """One document, with what is known about it."""

    document: JSONText
    context: Context
    rule_names: Collection[str]

    @property
    def text(self) -> str:
        return self.document.text

    @property
    def value(self) -> dict[str, Any]:
        """The fixture, an object."""
        return self.document.value  # type: ignore[no-any-return]

    @cached_property
    def allowed(self) -> frozenset[str]:
        """Names of the rules that the document may break."""
        return allowed_rules(self.value)

    @cached_property
    def response(self) -> dict[str, Any]:
        response = self.value.get("response")
        return response if isinstance(response, dict) else {}

    @property
    def response_path(self) -> Path:
        """Where the response is, or where it is missing."""
        return RESPONSE if "response" in self.value else ()

    @cached_property
    def raw_calls(self) -> list[Any]:
        """The items of ``tool_calls``, whatever they are."""
        given = self.response.get("tool_calls")
        return given if isinstance(given, list) else []

    @cached_property
    def calls(self) -> list[Call]:
        return [
            _call(index, item)
            for index, item in enumerate(self.raw_calls)
            if isinstance(item, dict)
        ]

    @property
    def has_calls(self) -> bool:
        """Whether the reply calls tools; an empty list does not."""
        return bool(self.raw_calls)

    @property
    def is_error_reply(self) -> bool:
        """Whether the reply is a failure, which needs no content."""
        return any(self.response.get(k) is not None for k in ("error", "disconnect_after"))

    @cached_property
    def content(self) -> JSONText | JSONSyntaxError | None:
        """The content read as JSON, or why it cannot be; None where it is no string."""
        content = self.response.get("content")
        return _read(content) if isinstance(content, str) else None

    @property
    def file_digest(self) -> str | None:
        """The digest the file is named by."""
        stem = (self.context.filename or "").removesuffix(SUFFIX)
        return stem if digest.is_digest(stem) else None

    @cached_property
    def stored_digest(self) -> str | RequestError | None:
        """The digest of the request the document stores, or why it has none; None without one."""
        request = self.value.get("request")
        try:
            return digest.digest(request) if isinstance(request, dict) else None
        except RequestError as error:
            return error

    @cached_property
    def masked_messages(self) -> list[tuple[int, dict[str, Any], str]]:
        """Of the stored request what decides its digest, message by message: its place, itself, and
        its JSON text with all that is volatile masked. Empty where there is no digest.
        """
        if not isinstance(self.stored_digest, str):
            return []
        given = self.value["request"].get("messages")
        messages = given if isinstance(given, list) else []
        places = [index for index, message in enumerate(messages) if isinstance(message, dict)]
        canonical = digest.canonical_messages(given)
        masked = map(volatile.masked_message, canonical)
        return list(zip(places, canonical, masked, strict=True))

    @cached_property
    def masked_digest(self) -> str | None:
        """What the stored request has in common with itself on another day; None without one."""
        if not isinstance(self.stored_digest, str):
            return None
        masked = [masked for _, _, masked in self.masked_messages]
        return volatile.combined_digest(self.value["request"], masked)

    @cached_property
    def requests(self) -> list[Payload]:
        """The requests this is the answer to: its own and those of the log, each kind once."""
        own = self.value.get("request")
        given = [*([own] if isinstance(own, dict) else []), *self.context.requests]
        if len(given) < 2:
            return given
        return list({_offer_key(request): request for request in reversed(given)}.values())[::-1]

    @cached_property
    def checked(self) -> list[Checked]:
        """All arguments and structured content that there is a schema for, and how they fit."""
        return [*self._checked_arguments(), *self._checked_content()]

    def _checked_arguments(self) -> Iterator[Checked]:
        for request in self.requests:
            tools = {tool.name: tool for tool in reversed(requests.tools(request))}
            for call in self.calls:
                tool = tools.get(call.name)
                if (
                    tool is not None
                    and tool.parameters is not None
                    and call.text is not None
                    and isinstance(call.text.value, dict)
                ):
                    verdict = schema.examine(tool.parameters, call.text, call.name)
                    yield Checked(call.arguments_path, call.label, call.name, verdict)

    def _checked_content(self) -> Iterator[Checked]:
        for request in self.requests:
            wanted = requests.response_format(request)
            if wanted.schema is not None and isinstance(self.content, JSONText):
                owner = wanted.name or "the schema"
                verdict = schema.examine(wanted.schema, self.content, owner)
                yield Checked(CONTENT, "content", owner, verdict)

    def offset(self, problem: Problem) -> int:
        """The place of a problem in the text."""
        if problem.offset is not None:
            return problem.offset
        at_key = problem.at_key and problem.inner is None
        start = jsonplaces.value_offset(self.text, problem.path, key=at_key)
        index = problem.inner_offset
        inner = self.json_inside(problem.path)
        if index is None and problem.inner is not None and inner is not None:
            index = jsonplaces.value_offset(inner.text, problem.inner, key=problem.at_key)
        return start if index is None else jsonplaces.string_offset(self.text, start, index)

    def json_inside(self, path: Path) -> JSONText | None:
        """The JSON text that the string at ``path`` holds."""
        texts = {call.arguments_path: call.parsed for call in self.calls}
        found = self.content if path == CONTENT else texts.get(path)
        return found if isinstance(found, JSONText) else None

    def line_column(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for line in self.text.split("\n")[:-1]:
            starts.append(starts[-1] + len(line) + 1)
        return starts


def _call(index: int, item: dict[str, Any]) -> Call:
    function = item.get("function")
    function = function if isinstance(function, dict) else {}
    name, arguments = function.get("name"), function.get("arguments")
    return Call(
        index,
        item,
        function,
        name if isinstance(name, str) else "",
        arguments if isinstance(arguments, str) else None,
    )


def _read(text: str) -> JSONText | JSONSyntaxError:
    try:
        return jsontext.read(text)
    except JSONSyntaxError as error:
        return error


def _offer_key(request: Payload) -> str:
    """What rules look at in a request, as a key. Logs hold many that differ in nothing of it."""
    looked_at = [request.get(k) for k in ("tools", "tool_choice", "response_format")]
    try:
        return json.dumps(looked_at, sort_keys=True)
    except (RecursionError, TypeError):
        return str(id(request))
