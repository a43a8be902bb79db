"""Rules about tool calls that need no request: their shape, their ids, their arguments as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from workbench.core import jsonspan
from workbench.core.digest import json_type
from workbench.core.findings import Fix
from workbench.core.jsonplaces import path_at
from workbench.core.jsonspan import JSONSyntaxError
from workbench.core.rules import fixes
from workbench.core.rules.model import Problem, rule
from workbench.core.rules.subject import TOOL_CALLS, Call, Subject
from workbench.core.rules.wording import quoted, shown


@rule(
    "tool-calls-shape",
    "error",
    "tool_calls is not what clients expect",
    "tool_calls is null or a list of {index, id, type, function: {name, arguments}}, where type "
    'is "function". The server sends it as it is written, so a client fails on anything else, '
    "far from the cause.",
)
def tool_calls_shape(subject: Subject) -> Iterator[Problem]:
    given = subject.response.get("tool_calls")
    if given is not None and not isinstance(given, list):
        yield Problem(f"tool_calls is {json_type(given)}; expected a list of calls", TOOL_CALLS)
    for index, item in enumerate(subject.raw_calls):
        if not isinstance(item, dict):
            yield Problem(
                f"call {index} is {json_type(item)}; expected an object", (*TOOL_CALLS, index)
            )
    seen: dict[object, int] = {}
    for call in subject.calls:
        yield from _wrong_index(call, seen)
        yield from _wrong_text(call, "id", noun="an id")
        if call.value.get("type") != "function":
            yield from _wrong(call, "type", 'expected "function"')
        if not isinstance(call.value.get("function"), dict):
            yield from _wrong(call, "function", "expected an object with name and arguments")
            continue
        yield from _wrong_text(call, "function", "name", noun="a name")
        if "arguments" not in call.function:
            yield Problem(
                f"{call.label}: arguments are missing; expected a JSON string",
                (*call.path, "function"),
            )


def _wrong(call: Call, key: str, expected: str) -> Iterator[Problem]:
    if key in call.value:
        message = f"{call.label}: {key} is {shown(call.value[key])}; {expected}"
        yield Problem(message, (*call.path, key))
    else:
        yield Problem(f"{call.label}: {key} is missing; {expected}", call.path)


def _wrong_text(call: Call, *keys: str, noun: str) -> Iterator[Problem]:
    """A problem unless the value at ``keys`` of the call is a string that is not empty.

    Args:
        noun: what such a string is, with its article.
    """
    key = keys[-1]
    parent = call.function if len(keys) > 1 else call.value
    value = parent.get(key)
    if isinstance(value, str) and value:
        return
    what = f"is {shown(value)}" if key in parent else "is missing"
    where = (*call.path, *keys) if key in parent else (*call.path, *keys[:-1])
    expected = noun if value == "" else "a string"
    yield Problem(f"{call.label}: {key} {what}; expected {expected}", where)


def _wrong_index(call: Call, seen: dict[object, int]) -> Iterator[Problem]:
    """A problem for an index that is no count, or that an earlier call has."""
    if "index" not in call.value:
        return
    index = call.value["index"]
    path = (*call.path, "index")
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        message = f"{call.label}: index is {shown(index)}; expected {call.index}"
        yield Problem(message, path)
    elif index in seen:
        yield Problem(
            f"{call.label}: index {index} is that of call {seen[index]}, and a client that streams "
            f"makes one call of the two; expected {call.index}",
            path,
        )
    else:
        seen[index] = call.index


@rule(
    "arguments-not-string",
    "error",
    "arguments are not a JSON string",
    "The arguments of a call are a string that holds a JSON object, because a model writes them "
    'as text: "{\\"city\\": \\"London\\"}". Clients parse that string and fail on anything else.',
)
def arguments_not_string(subject: Subject) -> Iterator[Problem]:
    for call in subject.calls:
        arguments = call.function.get("arguments", "")
        if isinstance(arguments, str):
            continue
        yield Problem(
            f"{call.label}: arguments are {json_type(arguments)}; expected a string of JSON",
            call.arguments_path,
            fix=partial(_as_string, subject, call) if isinstance(arguments, dict) else None,
        )


def _as_string(subject: Subject, call: Call) -> Fix:
    text = jsonspan.dumps(call.function["arguments"])
    return fixes.change(subject, "write as a JSON string", text, call.arguments_path)


@rule(
    "arguments-invalid-json",
    "error",
    "arguments are a string that is not JSON",
    "Clients parse the arguments and most fail on these. If that is what is to be tested, allow "
    "the rule in this fixture.",
)
def arguments_invalid_json(subject: Subject) -> Iterator[Problem]:
    for call in subject.calls:
        error = call.parsed
        if not isinstance(error, JSONSyntaxError):
            continue
        wrong = f"the arguments are not JSON at position {error.offset}: {error}"
        if not call.arguments:
            wrong = "the arguments are an empty string; expected at least {}"
        yield Problem(
            f"{call.label}: {wrong}",
            call.arguments_path,
            inner_offset=error.offset,
            fix=partial(fixes.mend, subject, call.arguments_path, error.fix),
        )


@rule(
    "arguments-not-object",
    "error",
    "arguments are JSON, but no object",
    "Arguments are passed by name, so they are a JSON object; a tool without parameters gets {}.",
)
def arguments_not_object(subject: Subject) -> Iterator[Problem]:
    for call in subject.calls:
        if call.text is not None and not isinstance(call.text.value, dict):
            kind = json_type(call.text.value)
            yield Problem(
                f"{call.label}: the arguments are {kind}; expected an object",
                call.arguments_path,
                inner=(),
            )


@rule(
    "arguments-not-finite",
    "error",
    "arguments hold NaN or Infinity",
    "JSON has no NaN and no Infinity. Python reads and writes them, other languages fail, and "
    "no API sends them.",
)
def arguments_not_finite(subject: Subject) -> Iterator[Problem]:
    for call in subject.calls:
        text = call.text
        for node in text.scan.not_finite if text and text.suspicious else []:
            word = text.text[node.start : node.end] if text else ""
            yield Problem(
                f"{call.label}: {word} is not a JSON value; expected a number",
                call.arguments_path,
                inner=path_at(text.scan, node.start) if text else None,
                inner_offset=node.start,
            )


@rule(
    "duplicate-call-id",
    "error",
    "two calls have the same id",
    "The result of a call names its id, so with two equal ones it is not known which was "
    "answered. The usual id is call_ and 8 digits of the digest, then _1 and so on.",
)
def duplicate_call_id(subject: Subject) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for call in subject.calls:
        call_id = call.value.get("id")
        if not isinstance(call_id, str) or not call_id:
            continue
        if call_id in first:
            yield Problem(
                f"{call.label}: id {quoted(call_id)} is that of call {first[call_id]}; expected "
                "another",
                (*call.path, "id"),
            )
        first.setdefault(call_id, call.index)


@rule(
    "missing-index",
    "warning",
    "a call has no index",
    "The server streams calls as they are written, and clients put a stream together by index: "
    "the official Python client fails without. Add its place in the list, from 0.",
)
def missing_index(subject: Subject) -> Iterator[Problem]:
    for call in subject.calls:
        if "index" not in call.value:
            title, indexed = f'add "index": {call.index}', {"index": call.index, **call.value}
            yield Problem(
                f"{call.label} has no index; the official client fails on the stream",
                call.path,
                fix=partial(fixes.change, subject, title, indexed, call.path),
            )
