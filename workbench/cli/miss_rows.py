"""Misses and unsupported requests as lines of text."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from workbench.cli.ci_formats import Case, CaseProblem, ReportedRule
from workbench.cli.output import Colour, Painted, print_message
from workbench.core.fixture.names import file_name
from workbench.core.misses.record import MissRecord
from workbench.core.text import shell
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt
from workbench.core.text.wording import counted, listed, shortlist
from workbench.io.command_options import finding, naming_folder

TEXT_WIDTH = 80
UNFINISHED: Final = (
    "the suite has not ended, or it was killed; later requests are missing from this list"
)
# Possible problems of a suite's request.
MISS_RULES: Final[dict[str, ReportedRule]] = {
    "missing-fixture": ReportedRule("error", "a request has no fixture"),
    "broken-fixture": ReportedRule("error", "the fixture of a request cannot be sent"),
    "unsupported-request": ReportedRule("error", "this server does not support a request"),
    "unfinished-suite": ReportedRule("error", "the suite that wrote the log did not end"),
}
# The colours of states; all others are yellow.
_COLOURS: Final[dict[str, Colour]] = {
    "missing": "red",
    "unlogged": "red",
    "broken": "red",
    "answered": "green",
    "ignored": "grey",
}


def print_rows(
    rows: Sequence[MissRecord], print_row: Callable[..., None], nearest: Mapping[str, str] = {}
) -> None:
    """Print a line for each row, with a sentence about the nearest fixture where there is one, then
    the totals and what to do about unsupported requests.
    """
    misses = [row for row in rows if row.digest is not None]
    unsupported = [row for row in rows if row.digest is None and not row.ignored]
    for row in rows:
        word = _word(row)
        print_row(
            Painted(f"{word:<9}", _COLOURS.get(word, "yellow")),
            f"{row.count:>{max(13 - max(len(word), 9), 1)}}  {request_text(row)}",
        )
        if sentence := nearest.get(row.digest or ""):
            print_row(f"{'':<15}{sentence}")
    states = Counter("ignored" if row.ignored else row.state for row in misses)
    others = {"broken": "broken", "answered": "answered since", "ignored": "ignored"}
    parts = "".join(
        f", {states[state]:,} {word}" for state, word in others.items() if states[state]
    )
    total = sum(row.count for row in misses)
    sent = "once" if total == 1 else f"{total:,} times"
    if misses:
        print_message(
            "note",
            f"{counted(len(misses), 'request')} without a fixture (sent {sent}){parts}",
        )
    elif not unsupported:
        print_message("note", "no request without a fixture")
    if unsupported:
        total = sum(row.count for row in unsupported)
        print_message("note", counted(total, "unsupported request"), *_advice(unsupported))


def _advice(unsupported: list[MissRecord]) -> Iterator[str]:
    """Why requests are not supported, and what to do instead."""
    for reason, advice in {row.reason: row.advice for row in unsupported}.items():
        yield f"  {(reason or '').rstrip('.')}. Instead:"
        yield from (f"    {line}" for line in advice or ())


def miss_cases(rows: Iterable[MissRecord], fixtures: Path, logs: Sequence[str]) -> list[Case]:
    """The rows of ``logs`` for a CI system. Each is attached to the test that sent the request, if
    known, else to the fixture that would answer it.
    """
    explain, validate = finding(logs, fixtures), naming_folder(fixtures)
    return [_case(row, fixtures, explain, validate) for row in rows]


def _case(row: MissRecord, fixtures: Path, explain: Sequence[str], validate: Sequence[str]) -> Case:
    """A row, with the options of the commands that print more about it."""
    test = row.tests[0] if row.tests else ""
    file = test.partition("::")[0]
    path = file if os.path.isfile(file) else ""
    name = f"{short(row.digest)} {_text(row)}" if row.digest else f"{row.method} {row.path}"
    if not row.is_open:
        return Case(name, path, skipped="ignored" if row.ignored else "")
    fixture = str(fixtures / file_name(row.digest)) if row.digest else ""
    problem = CaseProblem(
        f"{row.state}-{'request' if row.digest is None else 'fixture'}",
        "error",
        _sentences(row, explain, validate),
        path or fixture,
        digest=row.digest or "",
    )
    return Case(name, path, (problem,))


def _sentences(row: MissRecord, explain: Sequence[str], validate: Sequence[str]) -> str:
    """The problem of a row, and the command for details."""
    of_test = f" of {excerpt(row.tests[0], TEXT_WIDTH)}" if row.tests else ""
    if row.digest is None:
        return f"{row.method} {row.path}{of_test}: {row.reason}"
    digest = short(row.digest)
    request = f"request {digest}{of_test}"
    asks = f'"{_text(row)}" ({excerpt(row.model or "?", 24)})'
    if row.state == "broken":
        command = shell.command(["workbench", "validate", *validate])
        return f"The fixture of {request} cannot be sent: {asks}. For the reason: {command}"
    command = shell.command(["workbench", "explain", digest, *explain])
    return f"There is no fixture for {request}: {asks}. For the nearest fixture: {command}"


def unfinished_suite(logs: Sequence[str]) -> Case:
    """A suite that did not end, for a CI system."""
    message = f"{listed(logs)}: {UNFINISHED}"
    return Case("suite", problems=(CaseProblem("unfinished-suite", "error", message),))


def request_text(row: MissRecord) -> str:
    """The content of a row's requests; printed after its state and count."""
    if row.digest is None:
        return excerpt(f"{row.method} {row.path}: {row.reason}", TEXT_WIDTH) + _asked_by(row)
    model = excerpt(row.model or "?", 24)
    return f"{row.digest}  {model:<14}  {_text(row)}{_sent_to(row)}{_asked_by(row)}"


def _text(row: MissRecord) -> str:
    """The user's last text in a request, on one line."""
    text = row.last_user_text or "" if row.has_dump else "(request not in the log)"
    return excerpt(text, TEXT_WIDTH)


def _sent_to(row: MissRecord) -> str:
    return f"  sent to {shortlist(row.hosts)}" if row.hosts else ""


def _asked_by(row: MissRecord) -> str:
    if not row.tests:
        return ""
    more = f" and {len(row.tests) - 1} more" if len(row.tests) > 1 else ""
    return f"  asked by {excerpt(row.tests[0], TEXT_WIDTH)}{more}"


def _word(row: MissRecord) -> str:
    """The state as it is printed."""
    if row.ignored:
        return "ignored"
    return "unlogged" if row.state == "missing" and not row.has_dump else row.state
