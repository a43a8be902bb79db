"""The fixture file: a canned response and, beside it, what it answers.

A document keeps its own text: reading and writing without an edit gives the same bytes, and an edit
changes the spans of the values it changes (``jsonspan``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from workbench.core import jsonedit, jsonplaces, jsonspan, requests
from workbench.core.digest import json_type
from workbench.core.jsonspan import Edit, JSONSyntaxError, Path, Scan, is_too_deep

Source = Literal["edited", "recorded", "rekeyed", "imported"]

# The keys of each part, in the order of files we create. What they may be says fixture_model.
TOP_KEYS = ("request_digest", "description", "response", "request", "workbench")
RESPONSE_KEYS = (
    "content",
    "tool_calls",
    "finish_reason",
    "usage",
    "refusal",
    "reasoning",
    "error",
    "disconnect_after",
    "delay_ms",
    "chunk_delay_ms",
)
WORKBENCH_ONLY_KEYS = RESPONSE_KEYS[4:]
# Of those, the ones that profile stub leaves out, too, as it writes what the reference server does.
OPENAI_ONLY_KEYS = ("refusal", "reasoning")
USAGE_COUNTS = ("prompt_tokens", "completion_tokens")
USAGE_DETAILS = ("prompt_tokens_details", "completion_tokens_details")
USAGE_KEYS = (*USAGE_COUNTS, *USAGE_DETAILS, "total_tokens")
CALL_KEYS = ("index", "id", "type", "function")
FUNCTION_KEYS = ("name", "arguments")
ERROR_KEYS = ("status", "message", "type", "code", "retry_after")
OWN_KEYS = ("allow", "source")

BOM = b"\xef\xbb\xbf"
STORED_REQUEST_LIMIT = 256 * 1024


class FixtureError(ValueError):
    """A file that holds no fixture; ``str`` of it says why.

    Attributes:
        rule: the validation rule it breaks.
        line, column: the place, from 1.
        path: to the value that is wrong, in a text that is JSON.
        fix: an edit of the decoded text that mends it, where one is certain.
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


def decode(data: bytes) -> str:
    """The text of a fixture file.

    Raises:
        FixtureError: rule ``not-utf8``, for bytes that are not UTF-8 and for a byte order mark,
            which readers of JSON refuse.
    """
    if data.startswith(BOM):
        raise FixtureError(
            "not-utf8",
            "the file begins with a byte order mark, which JSON does not allow",
            fix=Edit(0, 1, ""),
            text=data.decode("utf-8", "replace"),
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        offset = len(data[: error.start].decode("utf-8", "replace"))
        line, column = jsonspan.line_column(text, offset)
        raise FixtureError(
            "not-utf8",
            f"byte {data[error.start]:#04x} is not UTF-8",
            line=line,
            column=column,
            text=text,
        ) from None


def parse(text: str) -> Scan:
    """Scan the text of a fixture, whose root must be an object.

    Raises:
        FixtureError: rules ``invalid-json`` and ``not-an-object``.
    """
    try:
        document = jsonspan.scan(text)
    except JSONSyntaxError as error:
        raise not_json(text, error) from None
    if document.root.kind != "object":
        raise not_an_object(text, document.root.value())
    return document


def not_json(text: str, error: JSONSyntaxError) -> FixtureError:
    """What to raise for a text that could not be read."""
    line, column = jsonspan.line_column(text, error.offset)
    return FixtureError(
        "invalid-json", str(error), line=line, column=column, fix=error.fix, text=text
    )


def not_an_object(text: str, value: object) -> FixtureError:
    """What to raise for a text that is JSON and means ``value``, which is no object."""
    line, column = jsonspan.line_column(text, len(text) - len(text.lstrip(" \t\r\n")))
    message = f"a fixture is an object; this is {json_type(value)}"
    return FixtureError("not-an-object", message, line=line, column=column, text=text)


def read_value(data: bytes) -> dict[str, Any]:
    """The object in a fixture file.

    Raises:
        FixtureError: as ``decode`` and ``parse``.
    """
    return FixtureDocument(decode(data)).value


def allowed_rules(value: Mapping[str, Any]) -> frozenset[str]:
    """Names of the rules that a fixture allows itself to break (``workbench.allow``)."""
    own = value.get("workbench")
    allow = own.get("allow") if isinstance(own, dict) else None
    rules = allow if isinstance(allow, list) else []
    return frozenset(rule for rule in rules if isinstance(rule, str))


@dataclass(frozen=True)
class FixtureDocument:
    """The text of a fixture, read on demand.

    Raises (from every property that looks inside):
        FixtureError: where the text is no fixture.
    """

    text: str

    @cached_property
    def scan(self) -> Scan:
        return parse(self.text)

    @cached_property
    def value(self) -> dict[str, Any]:
        """The object, by the fast way; the slow one only to name an error's place."""
        try:
            value = json.loads(self.text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or is_too_deep(self.text, value):
            return self.scan.root.value()  # type: ignore[no-any-return]
        return value

    @property
    def response(self) -> dict[str, Any]:
        response = self.value.get("response")
        return response if isinstance(response, dict) else {}

    @property
    def description(self) -> str:
        description = self.value.get("description")
        return description if isinstance(description, str) else ""

    @property
    def request(self) -> dict[str, Any] | None:
        """The stored request this fixture answers."""
        request = self.value.get("request")
        return request if isinstance(request, dict) else None

    @property
    def allowed(self) -> frozenset[str]:
        """Names of the rules this fixture allows itself to break."""
        return allowed_rules(self.value)

    def with_value(self, value: Mapping[str, Any]) -> FixtureDocument:
        """This document changed to mean ``value``, every other byte as it was."""
        text = jsonedit.rewrite(self.scan, dict(value))
        return self if text == self.text else FixtureDocument(text)

    def with_string(self, path: Path, new: str) -> FixtureDocument:
        """This document with another string at ``path``, where there is one."""
        start, end = jsonplaces.value_span(self.text, path)
        if json.loads(self.text[start:end]) == new:
            return self
        return FixtureDocument(self.text[:start] + jsonspan.dumps(new) + self.text[end:])

    def with_response(self, response: Mapping[str, Any]) -> FixtureDocument:
        return self.with_value(set_key(self.value, "response", dict(response), TOP_KEYS))


def set_key(
    value: Mapping[str, Any], key: str, new: object, order: tuple[str, ...]
) -> dict[str, Any]:
    """``value`` with ``key`` set: in place, or behind the last key that stands before it in
    ``order``, or first.
    """
    if key in value:
        return {**value, key: new}
    before = order[: order.index(key)] if key in order else tuple(value)
    places = [i for i, k in enumerate(value) if k in before]
    at = places[-1] + 1 if places else 0
    items = list(value.items())
    return dict([*items[:at], (key, new), *items[at:]])


def storable(payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """A request as it goes into its fixture; None for one that is too large, or no JSON."""
    # A miss is selected while a key is held down; writing a megabyte takes longer than that.
    if len(requests.prompt_text(payload)) > STORED_REQUEST_LIMIT:
        return None
    try:
        text = json.dumps(payload, ensure_ascii=False, allow_nan=False)
    except ValueError:  # NaN, which logs may hold and JSON may not
        return None
    size = len(text.encode("utf-8", "surrogatepass"))
    return payload if size <= STORED_REQUEST_LIMIT else None


def new_document(
    digest: str,
    response: Mapping[str, Any],
    *,
    description: str = "",
    request: Mapping[str, Any] | None = None,
    source: Source = "edited",
) -> FixtureDocument:
    """A fixture as we create it: indent 2, unescaped, final newline, keys in the agreed order."""
    value: dict[str, Any] = {"request_digest": digest}
    if description:
        value["description"] = description
    value["response"] = dict(response)
    if request is not None:
        value["request"] = dict(request)
    value["workbench"] = {"source": source}
    return FixtureDocument(jsonspan.dumps(value, indent=2) + "\n")
