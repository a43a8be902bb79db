"""Rules that hold the reply against the request: what was offered, asked for and described."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from workbench.core import jsonedit, jsonplaces, requests
from workbench.core.digest import json_type
from workbench.core.findings import Fix
from workbench.core.jsonspan import JSONSyntaxError
from workbench.core.requests import ResponseFormat, ToolChoice
from workbench.core.rules import fixes
from workbench.core.rules.model import Problem, rule
from workbench.core.rules.schema import Violation
from workbench.core.rules.subject import CONTENT, TOOL_CALLS, Call, Checked, Subject
from workbench.core.rules.wording import cut, did_you_mean, dotted, listed


@rule(
    "arguments-schema",
    "error",
    "arguments do not fit the tool's schema",
    "The request describes the arguments of each tool it offers with a JSON Schema. An agent "
    "that checks them rejects these; one that does not passes them to the tool.",
)
def arguments_schema(subject: Subject) -> Iterator[Problem]:
    for checked in subject.checked:
        if checked.path != CONTENT:
            for violation in checked.verdict.violations:
                yield _problem(subject, checked, violation)


def _problem(subject: Subject, checked: Checked, violation: Violation) -> Problem:
    not_allowed = violation.allowed is not None
    return Problem(
        f"{checked.label}: {violation.message}",
        checked.path,
        inner=violation.path,
        at_key=not_allowed,
        fix=partial(_fix, subject, checked, violation) if not_allowed else None,
    )


def _fix(subject: Subject, checked: Checked, violation: Violation) -> Fix | None:
    """For a property that is not allowed: the name it is a slip of, or its end."""
    text = subject.json_inside(checked.path)
    if text is None:
        return None
    *parent, key = violation.path
    node = text.scan.root.at(parent)
    taken = {member.key for member in node.members} if node else set()
    guesses = subject.guess(str(key), violation.allowed or (), taken)
    if len(guesses) == 1:
        edits = fixes.renaming(text.scan, violation.path, guesses[0])
        return fixes.inside(subject, fixes.rename_title(guesses[0]), checked.path, edits)
    edits = jsonedit.removal(text.scan, violation.path)
    return fixes.inside(subject, f"remove {dotted((key,))}", checked.path, edits)


@rule(
    "tool-not-offered",
    "error",
    "the request offers no tool of this name",
    "No model calls a tool it was not offered, and the agent that gets such a call has nothing "
    "to run. Tools are outside the digest: several requests may share this fixture and differ "
    "in them.",
)
def tool_not_offered(subject: Subject) -> Iterator[Problem]:
    for request in subject.requests:
        offered = dict.fromkeys(tool.name for tool in requests.tools(request) if tool.name)
        for call in subject.calls:
            if not call.name or call.name in offered:
                continue
            guesses = subject.guess(call.name, offered)
            hint = (
                did_you_mean(guesses) or f"; it offers {listed(offered) if offered else 'no tools'}"
            )
            fix = None
            if len(guesses) == 1:
                title = fixes.rename_title(guesses[0])
                fix = partial(fixes.change, subject, title, guesses[0], call.name_path)
            yield Problem(
                f"{call.label}: the request does not offer {cut(call.name)}{hint}",
                call.name_path,
                fix=fix,
            )


@rule(
    "response-format-violated",
    "error",
    "the content is not in the format the request asks for",
    "The request asks for JSON (response_format), maybe of a given schema; the application "
    "parses the content and fails on this one. If that is what is to be tested, allow the rule.",
)
def response_format_violated(subject: Subject) -> Iterator[Problem]:
    if subject.response.get("content") == "" and (subject.has_calls or subject.needs_no_content):
        return
    for request in subject.requests:
        wanted = requests.response_format(request)
        if wanted.kind in ("json_object", "json_schema"):
            yield from _wrong_format(subject, wanted)
    for checked in subject.checked:
        if checked.path == CONTENT:
            for violation in checked.verdict.violations:
                yield _problem(subject, checked, violation)


def _wrong_format(subject: Subject, wanted: ResponseFormat) -> Iterator[Problem]:
    text = subject.content
    if isinstance(text, JSONSyntaxError):
        what = f"{wanted.kind} {cut(wanted.name)}".strip()
        empty = subject.response.get("content") == ""
        wrong = "is empty" if empty else f"is not JSON at position {text.offset}: {text}"
        yield Problem(
            f"content {wrong}; the request asks for {what}",
            CONTENT,
            inner_offset=text.offset,
            fix=partial(fixes.mend, subject, CONTENT, text.fix),
        )
    elif text is not None:
        if wanted.kind == "json_object" and not isinstance(text.value, dict):
            kind = json_type(text.value)
            message = f"content is {kind}; the request asks for json_object, an object"
            yield Problem(message, CONTENT, inner=())
        for node in text.scan.not_finite if text.suspicious else []:
            word = text.text[node.start : node.end]
            yield Problem(
                f"content: {word} is not a JSON value; expected a number",
                CONTENT,
                inner=jsonplaces.path_at(text.scan, node.start),
                inner_offset=node.start,
            )


@rule(
    "tool-choice-violated",
    "warning",
    "the reply does not do what tool_choice demands",
    "tool_choice may demand no call (none), any call (required) or a call of one function. A "
    "real model obeys; an application that relies on it fails here.",
)
def tool_choice_violated(subject: Subject) -> Iterator[Problem]:
    if subject.needs_no_content:
        return
    for request in subject.requests:
        choice = requests.tool_choice(request)
        if choice.mode == "none" and subject.has_calls:
            yield Problem("tool_choice is none; expected no tool calls", TOOL_CALLS)
        elif choice.mode in ("required", "function") and not subject.has_calls:
            where = TOOL_CALLS if "tool_calls" in subject.response else subject.response_path
            yield Problem(f"tool_choice is {_demand(choice)}; expected a tool call", where)
        elif choice.mode == "function":
            yield from _other_function(subject.calls, choice.name)


def _demand(choice: ToolChoice) -> str:
    return "required" if choice.mode == "required" else cut(choice.name)


def _other_function(calls: list[Call], name: str) -> Iterator[Problem]:
    for call in calls:
        if call.name and call.name != name:
            message = f"{call.label}: tool_choice demands {cut(name)}; expected no {cut(call.name)}"
            yield Problem(message, call.name_path)


@rule(
    "schema-unchecked",
    "info",
    "a schema of the request could not be used",
    "Nothing is fetched for a schema, and it may not take long. Where it refers to something "
    "else, is malformed or takes too much work, the reply is not held against it, or not to the "
    "end.",
)
def schema_unchecked(subject: Subject) -> Iterator[Problem]:
    for checked in subject.checked:
        if checked.verdict.unchecked:
            message = f"{checked.label}: not checked against {cut(checked.owner)}"
            yield Problem(f"{message}: {checked.verdict.unchecked}", checked.path)
