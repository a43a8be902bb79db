"""``workbench misses``: every miss of a log once, and the requests the server does not speak."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.cli import EXIT_FINDINGS, EXIT_OK
from workbench.cli.common import add_format
from workbench.cli.logs import add_fixtures, add_log, session_of
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.apis.chat import request as requests
from workbench.core.inert import excerpt

if TYPE_CHECKING:
    from workbench.session.misses.rows import Miss, Row
    from workbench.session.misses.states import StateKind
    from workbench.session.session import Session

TEXT_WIDTH = 80

# The three states of the JSON form: what a fixture file says, whatever a person decided.
_STATES: dict[StateKind, str] = {"broken": "broken", "saved": "answered", "answered": "answered"}


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(parser, several=True)
    add_fixtures(parser)
    add_format(parser)
    parser.add_argument(
        "--run", choices=["last", "all"], default="all", help="the last suite run, or all (default)"
    )
    parser.add_argument(
        "--fail", action="store_true", help="exit 1 if any is missing or unsupported"
    )


def run(args: argparse.Namespace) -> int:
    from workbench.session.misses.variants import variants_warning

    with session_of(args.log, args.fixtures) as session:
        last = session.book.last_run
        listed = [row for row in session.book.rows.values() if args.run == "all" or row.run == last]
        rows = [_row(session, row) for row in listed]
        digests = [row["digest"] for row in rows if row["digest"] is not None]
        warnings = [said for digest in digests if (said := variants_warning(session.book, digest))]
    if args.format == "json":
        print_json(rows)
    else:
        _print_text(rows)
        for said in warnings:
            print_message(f"warning: {said}")
    wanting = [row for row in rows if row["state"] != "answered" and not row["ignored"]]
    return EXIT_FINDINGS if args.fail and wanting else EXIT_OK


def _row(session: Session, row: Row) -> dict[str, Any]:
    unsupported = session.book.unsupported.get(row.key)
    if unsupported is None:
        return _miss_row(session, session.book.misses[row.key])
    return {
        **unsupported.request.record(),
        "ignored": session.ignore_key(row.key) in session.ignore.reasons,
        "count": row.count,
        "first_seen": row.first_seen,
        "last_seen": row.last_seen,
        "run": row.run,
    }


def _miss_row(session: Session, miss: Miss) -> dict[str, Any]:
    summary = miss.summary
    return {
        "digest": miss.digest,
        "count": miss.count,
        "model": summary.model if summary else None,
        "last_user_text": _last_user_text(session, miss),
        "first_seen": miss.first_seen,
        "last_seen": miss.last_seen,
        "has_dump": summary is not None,
        "state": _STATES.get(session.state(miss.digest).kind, "missing"),
        "ignored": miss.digest in session.ignore.reasons,
        "held": False,
        "variants": len(miss.dumps),
        "run": miss.run,
        "api": "chat",
    }


def _last_user_text(session: Session, miss: Miss) -> str | None:
    """All of it: the summary holds the beginning."""
    from workbench.session.misses.rows import SUMMARY_CHARACTERS

    if miss.summary is None:
        return None
    text = miss.summary.last_user_text
    payload = session.book.payload(miss.digest) if len(text) >= SUMMARY_CHARACTERS else None
    return requests.last_user_text(payload) if payload is not None else text


def _print_text(rows: list[dict[str, Any]]) -> None:
    from workbench.session.wording import counted

    misses = [row for row in rows if row["digest"] is not None]
    unsupported = [row for row in rows if row["digest"] is None and not row["ignored"]]
    for row in rows:
        print_result(f"{_word(row):<9}{row['count']:>4}  {_asked(row)}")
    missing = sum(row["state"] == "missing" and not row["ignored"] for row in misses)
    total = sum(row["count"] for row in misses)
    found = f"{len(misses)} {'miss' if len(misses) == 1 else 'misses'}"
    print_message(f"{found} in {counted(total, 'request')}, {missing} missing")
    if unsupported:
        total = sum(row["count"] for row in unsupported)
        print_message(counted(total, "unsupported request"))
    for reason, advice in {row["reason"]: row["advice"] for row in unsupported}.items():
        print_message(f"  {reason}. Instead:")
        for line in advice:
            print_message(f"    {line}")


def _asked(row: dict[str, Any]) -> str:
    """What a row's requests ask, after its state and count."""
    if row["digest"] is None:
        return excerpt(f"{row['method']} {row['path']}: {row['reason']}", TEXT_WIDTH)
    model = excerpt(row["model"] or "?", 24)
    text = row["last_user_text"] if row["has_dump"] else "(request not in the log)"
    return f"{row['digest']}  {model:<14}  {excerpt(text, TEXT_WIDTH)}"


def _word(row: dict[str, Any]) -> str:
    """The state of a miss as a person reads it."""
    if row["ignored"]:
        return "ignored"
    return "no dump" if row["state"] == "missing" and not row["has_dump"] else str(row["state"])
