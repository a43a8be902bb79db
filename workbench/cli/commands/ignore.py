"""``workbench ignore``: mark a miss, or an unsupported request, as intended."""

from __future__ import annotations

import argparse
import re
from typing import Final

from workbench.cli.arguments import typed_text
from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import add_digests, digests_and_logs, one_digest, session_of, words_of
from workbench.cli.output import print_result
from workbench.core.text.wording import did_you_mean, near
from workbench.core.user_error import UserError
from workbench.session.misses.listing import find_miss
from workbench.session.session import Session

_METHOD_AND_PATH: Final = re.compile("[A-Z]+ /")


HELP: Final = CommandHelp(
    page="suites",
    examples={
        "workbench ignore 99f0 --reason 'tests an empty answer'": "answer one miss "
        "with the fallback",
        "workbench ignore 'POST /v1/rerank' --reason 'stubbed in the test'": "accept that a "
        "request is not supported",
    },
    about="An ignored request gets the fallback at once, also with --hold, --strict or --record. "
    "It no longer fails a build.",
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_digests(
        parser,
        'digest of a miss, or method and path of an unsupported request, such as "POST /v1/rerank"',
    )
    add_fixtures(parser, reads_log=True)
    parser.add_argument(
        "--reason",
        required=True,
        type=typed_text,
        metavar="TEXT",
        help="why the fallback is the right answer",
    )


def run(args: argparse.Namespace) -> int:
    if not args.reason.strip():
        raise UserError("--reason is empty; say why the fallback is the right answer")
    words = words_of(args)
    unsupported = list(filter(_METHOD_AND_PATH.match, words))
    others = [word for word in words if word not in unsupported]
    digests, logs = digests_and_logs(others, args.log)
    name = one_digest([*unsupported, *digests])
    with session_of(logs, args.fixtures, creates=True, writes=True) as session:
        key = _unsupported(session, name) if unsupported else find_miss(session, name)
        session.decisions.ignore(key, args.reason)
        print_result(str(session.ignore.path))
    return EXIT_OK


def _unsupported(session: Session, name: str) -> str:
    """The name of an unsupported request of the log. Raises UserError."""
    names = [row.name for row in session.miss_index.unsupported.values()]
    if name not in names:
        raise UserError(
            f"the log has no unsupported request {name}{did_you_mean(near(name, names))}"
        )
    return name
