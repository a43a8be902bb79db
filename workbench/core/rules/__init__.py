"""The validation rules: what may be wrong with a fixture, found in its bytes.

A rule is one function with its name, severity and words (``model``), listed below. ``check`` runs
those about one document and never fails, whatever the document holds; ``check_folder`` runs those
about documents together, over what ``examine`` kept of each.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final, NamedTuple

from workbench.core import jsonspan
from workbench.core.findings import Finding, Fix
from workbench.core.fixtures import FixtureError, decode, not_an_object, not_json
from workbench.core.jsonspan import Edit, JSONSyntaxError
from workbench.core.rules import (
    calls,
    document,
    fixes,
    folder,
    jsontext,
    offers,
    places,
    response,
    stored,
)
from workbench.core.rules.folder import Folder, Outline
from workbench.core.rules.jsontext import JSONText
from workbench.core.rules.model import Context, DocumentRule, FolderRule, Problem, Rule
from workbench.core.rules.subject import Subject

__all__ = [
    "RULES",
    "Context",
    "Examined",
    "Folder",
    "Outline",
    "Rule",
    "check",
    "check_folder",
    "examine",
]

RULES: Final[dict[str, Rule]] = {
    rule.name: rule
    for rule in (
        document.invalid_json,
        document.not_utf8,
        document.not_an_object,
        document.duplicate_key,
        response.content_missing,
        response.content_not_string,
        calls.tool_calls_shape,
        calls.arguments_not_string,
        calls.arguments_invalid_json,
        calls.arguments_not_object,
        calls.arguments_not_finite,
        offers.arguments_schema,
        offers.tool_not_offered,
        calls.duplicate_call_id,
        offers.response_format_violated,
        response.usage_shape,
        response.reply_shape,
        document.digest_mismatch,
        document.request_mismatch,
        document.unknown_key,
        document.bad_filename,
        document.too_large,
        response.content_lost_when_streaming,
        calls.missing_index,
        offers.tool_choice_violated,
        response.finish_reason_unknown,
        response.finish_reason_contradicts,
        response.total_tokens_set,
        stored.secret,
        stored.will_rot,
        folder.unused_fixture,
        folder.duplicate_request,
        response.workbench_only,
        document.request_not_stored,
        offers.schema_unchecked,
    )
}

_DOCUMENT_RULES: Final = [rule for rule in RULES.values() if isinstance(rule, DocumentRule)]
# For a document too large for the others, which may take seconds for each 100,000 values.
_RULES_OF_LARGE: Final = [document.not_an_object, document.bad_filename, document.too_large]
_FOLDER_RULES: Final = [rule for rule in RULES.values() if isinstance(rule, FolderRule)]

# Of one rule in one document: enough to see what is wrong. The others are counted.
MOST_FINDINGS: Final = 100


class Examined(NamedTuple):
    """What one document came to.

    Attributes:
        findings: all that is wrong with it, in the order of the places.
        outline: what the rules about a folder need of it.
    """

    findings: list[Finding]
    outline: Outline


def check(data: bytes | str, context: Context) -> list[Finding]:
    """All that is wrong with a fixture, in the order of the places.

    Rules that the fixture allows itself to break (``workbench.allow``) are left out.
    """
    return examine(data, context).findings


def examine(data: bytes | str, context: Context) -> Examined:
    """As ``check``, with what ``check_folder`` needs."""
    try:
        text = decode(data) if isinstance(data, bytes) else _require_utf8(data)
        subject = Subject(_read(text), context, RULES)
    except FixtureError as error:
        found = [_unreadable(error), *_found(_nothing(context), [document.bad_filename])]
        return Examined(found, Outline())
    is_large = subject.excess is not None
    rules = [
        rule
        for rule in (_RULES_OF_LARGE if is_large else _DOCUMENT_RULES)
        if rule.name not in subject.allowed
    ]
    found = sorted(_found(subject, rules), key=lambda finding: (finding.line, finding.column))
    return Examined(found, Outline(allowed=subject.allowed) if is_large else Outline.of(subject))


def check_folder(folder: Folder) -> Iterable[tuple[str, Finding]]:
    """What is wrong with the documents of a folder together: file names and findings."""
    for rule in _FOLDER_RULES:
        for name, message in rule.find(folder):
            if rule.name not in folder.outlines[name].allowed:
                yield name, Finding(rule.name, rule.severity, message)


def _require_utf8(text: str) -> str:
    """``text``, if it can be saved and read again. Raises FixtureError as ``decode``."""
    try:
        decode(text.encode())
    except UnicodeEncodeError as error:
        line, column = jsonspan.line_column(text, error.start)
        message = f"\\u{ord(text[error.start]):04x} is half of a character and has no UTF-8 form"
        raise FixtureError("not-utf8", message, line=line, column=column) from None
    return text


def _read(text: str) -> JSONText:
    """The object in ``text``. Raises FixtureError as ``fixtures.parse``, which is slower."""
    try:
        read = jsontext.read(text)
    except JSONSyntaxError as error:
        raise not_json(text, error) from None
    if not isinstance(read.value, dict):
        raise not_an_object(text, read.value)
    return read


def _unreadable(error: FixtureError) -> Finding:
    rule = RULES[error.rule]
    return Finding(
        rule.name,
        rule.severity,
        str(error),
        line=error.line,
        column=error.column,
        fix=_reading_fix(error.rule, error.fix),
    )


def _reading_fix(rule: str, edit: Edit | None) -> Fix | None:
    if edit is None:
        return None
    return Fix(
        "remove the byte order mark" if rule == "not-utf8" else fixes.mend_title(edit), (edit,)
    )


def _nothing(context: Context) -> Subject:
    """A document that says nothing, for the rules that do not look at it."""
    return Subject(JSONText("{}", {}, suspicious=False), context, RULES)


def _found(subject: Subject, rules: list[DocumentRule]) -> list[Finding]:
    """The findings of each rule: the first ones, and how many more there are."""
    listed: dict[DocumentRule, list[Problem]] = {}
    more: dict[DocumentRule, int] = {}
    for rule in rules:
        listed[rule], more[rule] = _first(rule.find(subject))
    offsets = places.offsets(subject, chain.from_iterable(listed.values()))
    found: list[Finding] = []
    for rule, problems in listed.items():
        found += (_finding(subject, rule, problem, offsets[problem]) for problem in problems)
        if more[rule]:
            found.append(_not_listed(rule, more[rule], found[-1]))
    return found


def _first(problems: Iterable[Problem]) -> tuple[list[Problem], int]:
    """The first different problems of a rule, and how many more there are. What is wrong for
    several requests in the same way counts once.
    """
    first: list[Problem] = []
    seen: set[tuple[object, ...]] = set()
    for p in problems:
        seen.add((p.message, p.path, p.inner, p.inner_offset, p.offset))
        if len(first) < len(seen) <= MOST_FINDINGS:
            first.append(p)
    return first, len(seen) - len(first)


def _not_listed(rule: Rule, count: int, last: Finding) -> Finding:
    """What stands for the findings of a rule that are not listed, at the place of the last one."""
    message = f"{count:,} more of these {'is' if count == 1 else 'are'} not listed"
    return Finding(rule.name, rule.severity, message, line=last.line, column=last.column)


def _finding(subject: Subject, rule: Rule, problem: Problem, offset: int) -> Finding:
    line, column = subject.line_column(offset)
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        message=problem.message,
        path=problem.path,
        inner=problem.inner,
        inner_offset=problem.inner_offset if problem.inner is None else None,
        line=line,
        column=column,
        fix=problem.fix() if problem.fix else None,
    )
