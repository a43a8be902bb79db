"""Misses and unsupported requests as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from workbench.cli.output import print_message
from workbench.core.misses.record import MissRecord
from workbench.core.text.inert import excerpt
from workbench.core.text.wording import counted, shortlist

TEXT_WIDTH = 80


def print_rows(
    rows: list[MissRecord], print_row: Callable[[str], None], nearest: Mapping[str, str] = {}
) -> None:
    """Print a line for each row, with a sentence about the nearest fixture where there is one, then
    the totals and what to do about unsupported requests.
    """
    misses = [row for row in rows if row.digest is not None]
    unsupported = [row for row in rows if row.digest is None and not row.ignored]
    for row in rows:
        print_row(f"{_word(row):<9}{row.count:>4}  {asked(row)}")
        if sentence := nearest.get(row.digest or ""):
            print_row(f"{'':<15}{sentence}")
    states = Counter(row.state for row in misses if not row.ignored)
    broken = f", {states['broken']} broken" if states["broken"] else ""
    total = sum(row.count for row in misses)
    count = f"{len(misses)} {'miss' if len(misses) == 1 else 'misses'}"
    print_message(f"{count} in {counted(total, 'request')}, {states['missing']} missing{broken}")
    if unsupported:
        total = sum(row.count for row in unsupported)
        print_message(counted(total, "unsupported request"))
    for reason, advice in {row.reason: row.advice for row in unsupported}.items():
        print_message(f"  {(reason or '').rstrip('.')}. Instead:")
        for line in advice or ():
            print_message(f"    {line}")


def asked(row: MissRecord) -> str:
    """What the requests of a row ask for; printed after its state and count."""
    if row.digest is None:
        return excerpt(f"{row.method} {row.path}: {row.reason}", TEXT_WIDTH) + _asked_by(row)
    model = excerpt(row.model or "?", 24)
    text = row.last_user_text or "" if row.has_dump else "(request not in the log)"
    return f"{row.digest}  {model:<14}  {excerpt(text, TEXT_WIDTH)}{_sent_to(row)}{_asked_by(row)}"


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
    return "no dump" if row.state == "missing" and not row.has_dump else row.state
