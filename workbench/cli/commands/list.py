"""``workbench list``: find fixtures by question and answer."""

from __future__ import annotations

import argparse
from typing import Final

from workbench.cli.arguments import add_format, typed_text
from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.fixture_rows import fixture_row
from workbench.cli.fixtures_folder import add_fixtures, folder_warning, settings_for
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.text.inert import excerpt
from workbench.core.text.wording import counted
from workbench.io.fixture.store import FixtureStore
from workbench.session.fixture.listing import list_fixtures

_PURPOSE_WIDTH: Final = 60


HELP: Final = CommandHelp(
    page="maintenance",
    examples={
        "workbench list": "list every fixture",
        "workbench list weather paris": "list the fixtures that contain both words",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        type=typed_text,
        nargs="*",
        metavar="WORD",
        help="list only fixtures that contain every WORD in their question, answer, tool calls, "
        "description, test or instructions (upper or lower case), or whose digest begins with WORD",
    )
    add_fixtures(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    store = FixtureStore(settings_for(args.fixtures).fixtures)
    fixtures = list_fixtures(store, args.words)
    if args.format == "json":
        print_json([fixture.record(store) for fixture in fixtures])
    else:
        conversation = ""
        for fixture in fixtures:
            is_later = bool(conversation) and fixture.summary.conversation == conversation
            purpose = excerpt(fixture.summary.purpose, _PURPOSE_WIDTH)
            print_result(fixture_row(fixture, purpose, is_later=is_later))
            conversation = fixture.summary.conversation
    if warning := folder_warning(store.folder, args.fixtures, None):
        print_message("warning", warning)
    elif args.format == "text":
        total = counted(len(store.fixtures()), "fixture")
        print_message("note", f"{len(fixtures):,} of {total}" if args.words else total)
    return EXIT_OK
