"""The document that rules look at, taken apart once for all of them."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from workbench.core import digest, requests, volatile
from workbench.core.digest import RequestError
from workbench.core.fixtures import allowed_rules
from workbench.core.jsonplaces import StringPlaces
from workbench.core.jsonspan import JSONSyntaxError, Path
from workbench.core.requests import Payload
from workbench.core.rules import jsontext, schema
from workbench.core.rules.jsontext import JSONText
from workbench.core.rules.keywords import MOST_STEPS
from workbench.core.rules.model import Context
from workbench.core.rules.schema import Verdict
from workbench.core.rules.wording import near

RESPONSE: Path = ("response",)
CONTENT: Path = ("response", "content")
TOOL_CALLS: Path = ("response", "tool_calls")
SUFFIX = ".json"

# What all rules are run on. The largest replies and requests of models have a tenth of it.
MOST_VALUES: Final = 400_000
MOST_CHARACTERS: Final = 20_000_000

# Each compares a name with all that are known.
_MOST_GUESSES: Final = 200
# The work of all checks against a schema, as ``schema.examine`` counts it: seconds.
_MOST_STEPS: Final = 5 * MOST_STEPS


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
    _guesses_left: int = _MOST_GUESSES
    _steps_left: int = _MOST_STEPS
    _string_places: dict[int, StringPlaces] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.document.text

    @property
    def value(self) -> dict[str, Any]:
        """The fixture, an object."""
        return self.document.value  # type: ignore[no-any-return]

    @cached_property
    def excess(self) -> str | None:
        """By what the document is too large for most rules; None where it is not."""
        if len(self.text) > MOST_CHARACTERS:
            return f"more than {MOST_CHARACTERS:,} characters"
        # A value takes at least a character and a comma.
        if len(self.text) > 2 * MOST_VALUES and _has_more_values(self.value, MOST_VALUES):
            return f"more than {MOST_VALUES:,} values"
        return None

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

    @property
    def needs_no_content(self) -> bool:
        """Whether the reply says what it says elsewhere: it is a failure, or a refusal."""
        return self.is_error_reply or bool(self.response.get("refusal"))

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
                    verdict = self._examine(tool.parameters, call.text, call.name)
                    yield Checked(call.arguments_path, call.label, call.name, verdict)

    def _checked_content(self) -> Iterator[Checked]:
        for request in self.requests:
            wanted = requests.response_format(request)
            if wanted.schema is not None and isinstance(self.content, JSONText):
                owner = wanted.name or "the schema"
                verdict = self._examine(wanted.schema, self.content, owner)
                yield Checked(CONTENT, "content", owner, verdict)

    def _examine(self, wanted: Mapping[str, Any], text: JSONText, owner: str) -> Verdict:
        """Hold a text against a schema, as far as there are steps left for this document."""
        verdict = schema.examine(wanted, text, owner, steps=self._steps_left)
        self._steps_left -= verdict.steps
        return verdict

    def guess(self, name: str, known: Iterable[str], taken: Container[str] = ()) -> list[str]:
        """The ``known`` names that ``name`` may mean, best first; see ``wording.near``.

        Nothing is guessed any more for a document with hundreds of unknown names: those are not
        slips of the keyboard.
        """
        self._guesses_left -= 1
        return near(name, known, taken) if self._guesses_left >= 0 else []

    def json_inside(self, path: Path) -> JSONText | None:
        """The JSON text that the string at ``path`` holds."""
        call = self._calls_by_arguments.get(path)
        found = self.content if path == CONTENT else call and call.parsed
        return found if isinstance(found, JSONText) else None

    def string_places(self, start: int) -> StringPlaces:
        """The places of the characters of the string that begins at ``start``."""
        if start not in self._string_places:
            self._string_places[start] = StringPlaces(self.text, start)
        return self._string_places[start]

    @cached_property
    def _calls_by_arguments(self) -> dict[Path, Call]:
        return {call.arguments_path: call for call in self.calls}

    def line_column(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for line in self.text.split("\n")[:-1]:
            starts.append(starts[-1] + len(line) + 1)
        return starts


def _has_more_values(root: object, most: int) -> bool:
    """Whether ``root`` holds more than ``most`` values."""
    stack = [root]
    while stack and most >= 0:
        value = stack.pop()
        if isinstance(value, dict | list):
            most -= len(value)
            parts = value.values() if isinstance(value, dict) else value
            stack += (part for part in parts if isinstance(part, dict | list))
    return most < 0


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
