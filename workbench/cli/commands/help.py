"""``workbench help``: show the help of a command."""

from __future__ import annotations

import argparse
from typing import Final

from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.help_text import CommandHelp
from workbench.cli.main import COMMANDS, command_parser
from workbench.core.text.wording import did_you_mean, near
from workbench.core.user_error import UserError

HELP: Final = CommandHelp(
    page="commands",
    examples={
        "workbench help": "list the commands",
        "workbench help misses": "show the help of one command",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "command",
        nargs="?",
        metavar="COMMAND",
        help="command to show the help of (default: workbench)",
    )


def run(args: argparse.Namespace) -> int:
    if args.command is not None and args.command not in COMMANDS:
        guess = did_you_mean(near(args.command, COMMANDS))
        raise UserError(f"unknown command {args.command}{guess}", "list them: workbench help")
    command_parser(args.command).print_help()
    return EXIT_OK
