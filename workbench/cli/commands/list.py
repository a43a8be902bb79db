"""``workbench list``: find fixtures by what was asked and answered."""

from __future__ import annotations

import argparse

from workbench.cli.common import add_format, typed_text
from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures, folder_warning, settings_for
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.fixture.names import short_name
from workbench.core.text.inert import excerpt
from workbench.core.text.wording import counted
from workbench.io.fixture.store import FixtureStore
from workbench.session.fixture.listing import ListedFixture, list_fixtures

# Of each text; four columns with their gaps are 140 characters wide.
TEXT_WIDTH = 40
# What stands before a later turn of a conversation.
INDENT = "  "


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        type=typed_text,
        nargs="*",
        metavar="WORD",
        help="list only the fixtures that contain each WORD, in upper or lower case, in question, "
        "answer, calls with arguments, description or test; or whose digest begins with it",
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
            print_result(_line(fixture, is_later=is_later))
            conversation = fixture.summary.conversation
    if warning := folder_warning(store.folder, args.fixtures, None):
        print_message("warning", warning)
    elif args.format == "text":
        total = counted(len(store.fixtures()), "fixture")
        print_message("note", f"{len(fixtures):,} of {total}" if args.words else total)
    return EXIT_OK


def _line(fixture: ListedFixture, *, is_later: bool) -> str:
    """A row: digest, question, answer, and what it is for.

    Args:
        is_later: the row before is an earlier turn of its conversation.
    """
    summary = fixture.summary
    if fixture.problem:
        return f"{short_name(fixture.name)}  {excerpt(fixture.problem, 2 * TEXT_WIDTH)}"
    asked = (INDENT if is_later else "") + (summary.question or "(request not stored)")
    question, answer = excerpt(asked, TEXT_WIDTH), excerpt(summary.answer, TEXT_WIDTH)
    purpose = excerpt(summary.purpose, TEXT_WIDTH)
    row = f"{question:<{TEXT_WIDTH}}  → {answer:<{TEXT_WIDTH}}  {purpose}"
    return f"{short_name(fixture.name)}  {row}".rstrip()
