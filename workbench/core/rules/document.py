"""Rules about the file as a whole: its text, its name, its keys, the request it stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from workbench.core import digest
from workbench.core.digest import RequestError, json_type, short
from workbench.core.fixtures import (
    CALL_KEYS,
    ERROR_KEYS,
    FUNCTION_KEYS,
    OWN_KEYS,
    RESPONSE_KEYS,
    TOP_KEYS,
    USAGE_KEYS,
)
from workbench.core.jsonplaces import path_at
from workbench.core.jsonspan import Member, Path
from workbench.core.rules import fixes
from workbench.core.rules.jsontext import JSONText
from workbench.core.rules.model import Problem, rule
from workbench.core.rules.subject import MOST_CHARACTERS, MOST_VALUES, RESPONSE, SUFFIX, Subject
from workbench.core.rules.wording import did_you_mean, listed, quoted, shown

# Editors read at the top of a file by which schema they check it.
_FOR_EDITORS: Final[tuple[Path, str]] = ((), "$schema")


@rule(
    "invalid-json",
    "error",
    "the file is not JSON",
    "The server cannot load a file that is not JSON: it logs that and answers as if there were "
    "no fixture. Markers of a merge conflict are a case of this: choose one side of each and "
    "delete the lines with the markers. NaN and Infinity are no JSON either, though Python "
    "reads them.",
)
def invalid_json(subject: Subject) -> Iterator[Problem]:
    """Only what Python's reader lets pass; a text that cannot be read never gets here."""
    if subject.document.suspicious:
        for node in subject.document.scan.not_finite:
            word = subject.text[node.start : node.end]
            path = path_at(subject.document.scan, node.start)
            yield Problem(f"{word} is not a JSON value; expected a number", path, offset=node.start)


@rule(
    "not-utf8",
    "error",
    "the file is not UTF-8, or begins with a byte order mark",
    "Fixtures are UTF-8 without a byte order mark. The reference server fails on other bytes, "
    "and takes a file with a mark for broken. Save the file in that encoding.",
)
def not_utf8(_subject: Subject) -> Iterator[Problem]:
    """A text that has been decoded holds none; see ``check``."""
    yield from ()


@rule(
    "not-an-object",
    "error",
    "something is not an object that must be one",
    "A fixture is a JSON object, and so are its response, its request, an error in the response "
    "and the part for the workbench. The reference server fails requests that meet another "
    "type.",
)
def not_an_object(subject: Subject) -> Iterator[Problem]:
    places: list[tuple[Path, Mapping[str, Any]]] = [
        (("response",), subject.value),
        (("request",), subject.value),
        (("workbench",), subject.value),
        (("response", "error"), subject.response),
    ]
    for path, parent in places:
        name = str(path[-1])
        value = parent.get(name)
        if value is not None and not isinstance(value, dict):
            yield Problem(f"{name} is {json_type(value)}; expected an object", path)


@rule(
    "duplicate-key",
    "error",
    "a key stands twice in an object",
    "Of two equal keys readers take the last, and what stands under the first is lost without a "
    "word. Remove one of them.",
)
def duplicate_key(subject: Subject) -> Iterator[Problem]:
    for member in _duplicates(subject.document):
        yield Problem(
            f"{quoted(member.key)} stands twice in this object; readers take the last",
            path_at(subject.document.scan, member.start),
            offset=member.start,
        )
    for call in subject.calls:
        for member in _duplicates(call.text):
            yield Problem(
                f"{call.label}: {quoted(member.key)} stands twice in the arguments; readers take "
                "the last",
                call.arguments_path,
                inner=path_at(call.text.scan, member.start) if call.text else None,
                inner_offset=member.start,
            )


def _duplicates(text: JSONText | None) -> list[Member]:
    return text.scan.duplicates if text is not None and text.suspicious else []


@rule(
    "digest-mismatch",
    "error",
    "request_digest is not the digest in the file's name",
    "The server finds a fixture by its name alone; request_digest is for people and must say "
    "the same. After copying or renaming a file by hand, set it to the digest in the name. The "
    "key may be left out.",
)
def digest_mismatch(subject: Subject) -> Iterator[Problem]:
    written, name = subject.value.get("request_digest"), subject.file_digest
    if name is None or written is None or written == name:
        return
    path = ("request_digest",)
    what = f"{written[:12]}…" if isinstance(written, str) and digest.is_digest(written) else None
    # Where the stored request has that very digest it is the name that is wrong.
    certain = subject.stored_digest != written
    yield Problem(
        f"request_digest is {what or shown(written)}; the file is named {short(name)}…",
        path,
        fix=partial(fixes.change, subject, f"set to {short(name)}…", name, path)
        if certain
        else None,
    )


@rule(
    "request-mismatch",
    "error",
    "the stored request has another digest than the file's name",
    "The request a fixture stores is the one it answers, so its digest is the file's name. If "
    "it is not, the file was renamed, or the request edited, and the server never answers that "
    "request with this file.",
)
def request_mismatch(subject: Subject) -> Iterator[Problem]:
    actual, name = subject.stored_digest, subject.file_digest
    if name is None or actual is None or actual == name:
        return
    if isinstance(actual, RequestError):
        message = f"the stored request has no digest: {actual}"
    else:
        own = f"the stored request has the digest {short(actual)}…"
        message = f"{own}; the file is named {short(name)}…"
    yield Problem(message, ("request",))


@rule(
    "unknown-key",
    "warning",
    "nothing reads this key",
    "A key that nobody reads is often a slip of the keyboard, and then the value it was meant "
    "to set has its default. Keys that begin with _ are for remarks and are never reported, nor is "
    "$schema, which editors read. Names of rules in workbench.allow are checked too.",
)
def unknown_key(subject: Subject) -> Iterator[Problem]:
    value, response = subject.value, subject.response
    yield from _unknown_keys(subject, value, (), TOP_KEYS, "a fixture")
    yield from _unknown_keys(subject, response, RESPONSE, RESPONSE_KEYS, "a response")
    for key, known in (("usage", USAGE_KEYS), ("error", ERROR_KEYS)):
        yield from _unknown_keys(subject, response.get(key), (*RESPONSE, key), known, key)
    for call in subject.calls:
        path = call.path
        yield from _unknown_keys(subject, call.value, path, CALL_KEYS, call.label)
        function_path = (*path, "function")
        yield from _unknown_keys(
            subject, call.function, function_path, FUNCTION_KEYS, f"the function of {call.label}"
        )
    own = value.get("workbench")
    yield from _unknown_keys(subject, own, ("workbench",), OWN_KEYS, "workbench")
    if isinstance(own, dict):
        yield from _unknown_rules(subject, own.get("allow"))


def _unknown_keys(
    subject: Subject, value: object, path: Path, known: tuple[str, ...], owner: str
) -> Iterator[Problem]:
    if not isinstance(value, dict):
        return
    for key in value:
        if key in known or key.startswith("_") or (path, key) == _FOR_EDITORS:
            continue
        guesses = subject.guess(key, known, taken=value)
        where = (*path, key)
        # A name that is there already cannot be given to another key, but may be what was meant.
        hint = did_you_mean(guesses or subject.guess(key, known))
        yield Problem(
            f"{quoted(key)} is no key of {owner}{hint or f' (it has {listed(known)})'}",
            where,
            at_key=True,
            fix=partial(fixes.rename_key, subject, where, *guesses) if len(guesses) == 1 else None,
        )


def _unknown_rules(subject: Subject, allow: object) -> Iterator[Problem]:
    path = ("workbench", "allow")
    if allow is not None and not isinstance(allow, list):
        yield Problem(f"allow is {json_type(allow)}; expected a list of rule names", path)
        return
    known = subject.rule_names
    for index, name in enumerate(allow or ()):
        if isinstance(name, str) and name in known:
            continue
        guesses = subject.guess(name, known) if isinstance(name, str) else []
        where = (*path, index)
        fix = None
        if len(guesses) == 1:
            title = fixes.rename_title(guesses[0])
            fix = partial(fixes.change, subject, title, guesses[0], where)
        yield Problem(f"{shown(name)} is no rule{did_you_mean(guesses)}", where, fix=fix)


@rule(
    "bad-filename",
    "warning",
    "the file's name is no digest",
    "The server looks for 64 lowercase hexadecimal digits and .json; no request finds a file of "
    "another name. workbench hash prints the digest of a request.",
)
def bad_filename(subject: Subject) -> Iterator[Problem]:
    name = subject.context.filename
    if name is None or not name.endswith(SUFFIX) or subject.file_digest is not None:
        return
    stem = name.removesuffix(SUFFIX)
    hint = "; digits are lowercase" if digest.is_digest(stem.lower()) else ""
    yield Problem(
        f"no request finds {quoted(name)}; expected <64 hexadecimal digits>{SUFFIX}{hint}"
    )


@rule(
    "too-large",
    "warning",
    "the file is too large to be checked",
    f"A fixture of more than {MOST_VALUES:,} values or {MOST_CHARACTERS:,} characters is only "
    "read: it is a JSON object, and the server can load it. The other rules are not run, because "
    "they would take too long.",
)
def too_large(subject: Subject) -> Iterator[Problem]:
    if subject.excess is not None:
        yield Problem(f"the file has {subject.excess}; only that it is a JSON object was checked")


@rule(
    "request-not-stored",
    "info",
    "the request is not known, so some rules cannot run",
    "Whether tools were offered, what their arguments must look like and what format was asked "
    "for stands in the request. Store it under request; workbench promote and the editor do.",
)
def request_not_stored(subject: Subject) -> Iterator[Problem]:
    if not subject.requests and subject.value.get("request") is None:
        yield Problem("the fixture stores no request; its tools and schemas are not checked")
