"""``workbench ignore``: say that the fallback of a miss is wanted."""

from __future__ import annotations

import argparse

from workbench.cli import EXIT_OK, UsageError
from workbench.cli.common import typed_text
from workbench.cli.logs import add_digest, add_fixtures, add_log, find, session_of
from workbench.cli.output import print_result


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(parser)
    add_digest(parser)
    add_fixtures(parser)
    parser.add_argument(
        "--reason", required=True, type=typed_text, metavar="TEXT", help="why; committed with it"
    )


def run(args: argparse.Namespace) -> int:
    if not args.reason.strip():
        raise UsageError("a reason is needed: it is what others read later")
    with session_of([args.log], args.fixtures, creates=True) as session:
        digest = find(session, args.digest)
        try:
            session.decisions.ignore(digest, args.reason)
        except OSError as error:
            raise UsageError(f"{session.ignore.path}: {error.strerror}") from None
        print_result(str(session.ignore.path))
    return EXIT_OK
