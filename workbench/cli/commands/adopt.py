"""``workbench adopt``: add the missing request to fixtures, from a log."""

from __future__ import annotations

import argparse
from typing import Final

from workbench.cli.arguments import add_dry_run, add_format
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import add_logs, logs_to_read, session_of
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.fixture.names import short_name
from workbench.core.text.wording import counted
from workbench.session.answers.adopt import adopt

HELP: Final = CommandHelp(
    page="fixture-file",
    examples={
        "workbench adopt --dry-run": "list the fixtures that would get their requests from the "
        "newest log",
        "workbench adopt mock-llm.log": "add the requests of one log",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_logs(parser)
    add_fixtures(parser, reads_log=True)
    add_dry_run(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    logs = logs_to_read([*args.logs, *args.log])
    with session_of(logs, args.fixtures, writes=True) as session:
        result = adopt(session, dry_run=args.dry_run)
        rows = [{"digest": d, "path": str(session.store.path(d))} for d in result.adopted]
    if args.format == "json":
        reasons = [{"digest": digest, "reason": reason} for digest, reason in result.left_out]
        partial = [{"digest": digest, "remark": remark} for digest, remark in result.partial]
        lists = {"left_out": reasons, "unknown": result.unknown, "partial": partial}
        print_json({"adopted": rows, **lists})
    else:
        for row in rows:
            print_result(row["path"])
    for digest, remark in result.partial:
        print_message("note", f"{short_name(digest)}: {remark}".rstrip("."))
    for digest, reason in result.left_out:
        print_message("warning", f"{short_name(digest)}: {reason}".rstrip("."))
    if result.unknown:
        count = counted(len(result.unknown), "fixture")
        print_message("note", f"{count} still without a request: these logs do not contain it")
    elif not (result.adopted or result.left_out or result.partial):
        print_message("note", "nothing to do: every fixture stores its request")
    return EXIT_FINDINGS if result.left_out else EXIT_OK
