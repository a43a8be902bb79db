"""``workbench adopt``: store the request in fixtures that do not hold it."""

from __future__ import annotations

import argparse

from workbench.cli import EXIT_FINDINGS, EXIT_OK
from workbench.cli.common import add_dry_run, add_format
from workbench.cli.logs import add_fixtures, add_log, session_of
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.wording import counted
from workbench.session.misses.adopt import adopt, lacking


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(parser, several=True)
    add_fixtures(parser)
    add_dry_run(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    with session_of(args.log, args.fixtures) as session:
        wanting = lacking(session)
        adopted, failed = (wanting.known, []) if args.dry_run else adopt(session, wanting.known)
        paths = [str(session.store.path(digest)) for digest in adopted]
    left_out = [*wanting.refused, *failed]
    if args.format == "json":
        rows = [{"digest": d, "path": path} for d, path in zip(adopted, paths, strict=True)]
        reasons = [{"digest": digest, "reason": reason} for digest, reason in left_out]
        print_json({"adopted": rows, "left_out": reasons, "unknown": wanting.unknown})
    else:
        for path in paths:
            print_result(path)
    for digest, reason in left_out:
        print_message(f"workbench adopt: {digest}: {reason}")
    if wanting.unknown:
        count = counted(len(wanting.unknown), "fixture")
        print_message(f"{count} without a request that these logs do not have either.")
    elif not (wanting.known or wanting.refused):
        print_message("Every fixture holds its request.")
    return EXIT_FINDINGS if left_out else EXIT_OK
