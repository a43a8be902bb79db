"""``workbench adopt``: store requests in fixtures that lack them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from workbench.cli import EXIT_FINDINGS, EXIT_OK
from workbench.cli.logs import add_log, session_of


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(parser, several=True)
    parser.add_argument("--fixtures", type=Path, metavar="DIR", help="default: ./fixtures")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done")


def run(args: argparse.Namespace) -> int:
    from workbench.session.adopt import adopt, lacking

    with session_of(args.log, args.fixtures) as session:
        wanting = lacking(session)
        adopted, failed = (wanting.known, []) if args.dry_run else adopt(session, wanting.known)
        for digest in adopted:
            print(session.store.path(digest))
    for digest, reason in (*wanting.refused, *failed):
        print(f"workbench adopt: {digest}: {reason}", file=sys.stderr)
    if wanting.unknown:
        count = len(wanting.unknown)
        hold = "fixture holds" if count == 1 else "fixtures hold"
        print(f"{count} {hold} no request, and these logs neither.", file=sys.stderr)
    elif not (wanting.known or wanting.refused):
        print("No fixture lacks its request.", file=sys.stderr)
    return EXIT_FINDINGS if wanting.refused or failed else EXIT_OK
