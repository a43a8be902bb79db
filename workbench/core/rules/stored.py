"""Rules about what a fixture keeps for good: what nobody should read, what does not stay true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from workbench.core import secrets, volatile
from workbench.core.jsonspan import Path
from workbench.core.layers import TooManyLayersError, layers
from workbench.core.rules.model import Problem, rule
from workbench.core.rules.subject import Subject
from workbench.core.rules.wording import cut, dotted
from workbench.core.secrets import Secret
from workbench.core.volatile import Span
from workbench.core.volatile_kinds import NAMES

_MOST_TOLD: Final = 3
# What masks alone hold: JSON text has this character only escaped.
_MASK: Final = "\0"
# What makes a date today's, and how many characters before it.
_NOW: Final = re.compile(r"(?i)\b(?:today|now|current)")
_NEAR: Final = 40
# As drafts and directives make them: from the digest, the same in every run.
_DERIVED_ID: Final = re.compile(r"call_(?:[0-9a-f]{8}(?:_\d{1,4})?|e2e_[0-9a-f]{12})")
_WEEKDAY: Final = re.compile(r"(?i)\b(?:mon|tue|wed|thu|fri|sat|sun)")


@rule(
    "secret",
    "warning",
    "something looks like a key, a token or a password",
    "Fixtures are committed, and so is what their requests and replies hold. What looks like a "
    "secret is named by its place and its last letters. Take it out of the prompt that sends it, "
    "and if it was real, revoke it. Where it is none, allow the rule in this fixture.",
)
def secret(subject: Subject) -> Iterator[Problem]:
    if not secrets.may_stand_in(subject.text):
        return
    for path, text, is_key in _strings((), subject.value):
        known = secrets.find(text)
        for found in known or _escaped_secrets(text):
            where = dotted(path[:-1] if is_key else path)
            what = f"a key of {where or 'the fixture'}" if is_key else where
            yield Problem(
                f"{what} holds what looks like {found.kind} ({found.shown})",
                path,
                at_key=is_key,
                inner_offset=None if is_key or not known else found.start,
            )


@rule(
    "will-rot",
    "warning",
    "the stored request holds what changes from run to run",
    "A date, a time, a UUID, the id of a call, a temporary path or a port in a message is part of "
    "the digest. Tomorrow, or in the next run, the request has another one, and this fixture is "
    "not found. Pin the clock and the ids in the test, or re-key the fixture when it rots. Dates "
    "that a user or the assistant writes count only where they look like today's; ids of calls "
    "that workbench derived from a digest stay the same.",
)
def will_rot(subject: Subject) -> Iterator[Problem]:
    for index, message, masked in subject.masked_messages:
        # The ids of calls are masked without a trace.
        if _MASK in masked or "tool_calls" in message or "tool_call_id" in message:
            is_talk = message["role"] in ("user", "assistant")
            for path, text, is_key in _strings(("request", "messages", index), message):
                spans = [
                    span
                    for span in volatile.spans(text)
                    if not _DERIVED_ID.fullmatch(text, span.start, span.end)
                    and not (is_talk and _is_topic(text, span))
                ]
                if spans and not is_key:
                    what = f"{dotted(path)} is volatile: {_told(text, spans)}"
                    yield Problem(what, path, inner_offset=spans[0].start)


def _escaped_secrets(text: str) -> list[Secret]:
    """Those that stand under escapes of JSON inside the text, as ``arguments`` have them."""
    if "\\" not in text:
        return []
    with suppress(TooManyLayersError):
        for layer in layers(text):
            if found := secrets.find(layer):
                return found
    return []


def _is_topic(text: str, span: Span) -> bool:
    """Whether a date or time is what the talk is about, and not when it takes place."""
    if span.kind not in ("date", "time"):
        return False
    before = text[max(span.start - _NEAR, 0) : span.start]
    return not _WEEKDAY.search(text, span.start, span.end) and not _NOW.search(before)


def _told(text: str, spans: list[Span]) -> str:
    parts = [f"{NAMES[s.kind]}, {cut(text[s.start : s.end])}" for s in spans[:_MOST_TOLD]]
    more = len(spans) - len(parts)
    return "; ".join([*parts, *([f"{more} more"] if more else [])])


def _strings(path: Path, root: object) -> Iterator[tuple[Path, str, bool]]:
    """Every string in the value at ``path``, with its own path, and whether it is the key at the
    end of that.
    """
    stack: list[tuple[Path, object]] = [(path, root)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, str):
            yield path, value, False
        elif isinstance(value, dict):
            for key in value:
                yield (*path, key), key, True
            stack += [((*path, key), part) for key, part in reversed(value.items())]
        elif isinstance(value, list):
            stack += [((*path, i), part) for i, part in reversed(list(enumerate(value)))]
