"""``workbench misses``: every miss of a log once."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.cli import EXIT_FINDINGS, EXIT_OK
from workbench.cli.common import add_format
from workbench.cli.logs import add_fixtures, add_log, session_of
from workbench.cli.output import print_json, print_message, print_result
from workbench.core import requests
from workbench.core.inert import excerpt

if TYPE_CHECKING:
    from workbench.session.misses import Miss
    from workbench.session.session import Session
    from workbench.session.states import StateKind

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
    parser.add_argument("--fail", action="store_true", help="exit 1 if any is missing")


def run(args: argparse.Namespace) -> int:
    with session_of(args.log, args.fixtures) as session:
        misses = session.misses(with_done=True)
        if args.run == "last":
            misses = [miss for miss in misses if miss.run == session.book.last_run]
        rows = [_row(session, miss) for miss in misses]
    if args.format == "json":
        print_json(rows)
    else:
        _print_text(rows)
    wanting = [row for row in rows if row["state"] != "answered" and not row["ignored"]]
    return EXIT_FINDINGS if args.fail and wanting else EXIT_OK


def _row(session: Session, miss: Miss) -> dict[str, Any]:
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
    }


def _last_user_text(session: Session, miss: Miss) -> str | None:
    """All of it: the summary holds the beginning."""
    from workbench.session.misses import SUMMARY_CHARACTERS

    if miss.summary is None:
        return None
    text = miss.summary.last_user_text
    payload = session.book.payload(miss.digest) if len(text) >= SUMMARY_CHARACTERS else None
    return requests.last_user_text(payload) if payload is not None else text


def _print_text(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        state = _word(row)
        model = excerpt(row["model"] or "?", 24)
        text = row["last_user_text"] if row["has_dump"] else "(request not in the log)"
        said = excerpt(text, TEXT_WIDTH)
        print_result(f"{state:<9}{row['count']:>4}  {row['digest']}  {model:<14}  {said}")
    missing = sum(row["state"] == "missing" and not row["ignored"] for row in rows)
    total = sum(row["count"] for row in rows)
    found = f"{len(rows)} {'miss' if len(rows) == 1 else 'misses'}"
    asked = f"{total} {'request' if total == 1 else 'requests'}"
    print_message(f"{found} in {asked}, {missing} missing")


def _word(row: dict[str, Any]) -> str:
    """The state of a miss as a person reads it."""
    if row["ignored"]:
        return "ignored"
    return "no dump" if row["state"] == "missing" and not row["has_dump"] else str(row["state"])
