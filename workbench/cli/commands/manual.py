"""``workbench manual``: show the pages of the manual."""

from __future__ import annotations

import argparse
import os
import sys
from difflib import get_close_matches
from typing import Final

from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import write_data
from workbench.core.text.wording import either
from workbench.core.user_error import UserError
from workbench.io import manual

HELP: Final = CommandHelp(
    page="index",
    examples={
        "workbench manual": "list the pages",
        "workbench manual tutorial": "show one page",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "topic",
        nargs="?",
        type=_page,
        choices=manual.names(),
        metavar="TOPIC",
        default=manual.INDEX,
        help="page to show (default: the list of pages)",
    )


def _page(name: str) -> str:
    names = manual.names()
    if name not in names:
        alike = get_close_matches(name, names, n=3, cutoff=0.6)
        if entry := manual.glossary_entry(name):
            raise UserError(
                f"no page {name!r}: {entry.meaning}", f"read more: workbench manual {entry.page}"
            )
        meant = f"; did you mean {either(alike)}?" if alike else ""
        raise UserError(f"unknown page {name!r}{meant}", "list the pages: workbench manual")
    return name


def run(args: argparse.Namespace) -> int:
    text = manual.read(args.topic)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        # Defaults for less: show colours, and print a page that fits on the screen at once.
        os.environ.setdefault("LESS", "FRX")
        console = Console()
        with console.pager(styles=True):
            console.print(Markdown(text, hyperlinks=False))
    else:
        write_data(text.encode())
    return EXIT_OK
