"""``workbench drift``: send requests to the real model again, and compare the shapes of the
replies.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, get_args

from workbench.cli.arguments import (
    add_format,
    api_url,
    needed_upstream,
    whole_number,
)
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_INTERRUPTED, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures, settings_for
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import Colour, Painted, Progress, print_json, print_message, print_result
from workbench.core.apis.table import view
from workbench.core.fixture.names import variant_of
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt
from workbench.core.text.wording import counted
from workbench.core.user_error import UserError
from workbench.io.fixture.store import FixtureStore
from workbench.session.answers.drift import JOBS, State, StoredReply, ask_again, stored_replies

TEXT_WIDTH = 80
_COLOURS: Final[dict[State | None, Colour]] = {
    "same": "green",
    "drifted": "yellow",
    "failed": "red",
}


HELP: Final = CommandHelp(
    page="stale",
    examples={
        "workbench drift --upstream https://api.openai.com/v1": "compare every fixture",
        "workbench drift 1b0a --upstream https://api.openai.com/v1": "compare one fixture",
    },
    about="This sends the stored requests to the real API and compares the replies: the called "
    "tools, the finish reason, refusals, and whether arguments and structured output fit the "
    "schemas of the request. It does not change the fixtures.",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "digests",
        nargs="*",
        metavar="DIGEST",
        help="digest of a fixture; the first 4 digits are enough (default: every fixture)",
    )
    parser.add_argument(
        "--upstream",
        type=api_url,
        metavar="URL",
        help="base URL of the real API, such as https://api.openai.com/v1 (default: the settings); "
        "the key is read from WORKBENCH_UPSTREAM_KEY",
    )
    parser.add_argument(
        "--jobs",
        type=whole_number,
        default=JOBS,
        metavar="N",
        help=f"concurrent requests (default: {JOBS})",
    )
    add_fixtures(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    settings = settings_for(args.fixtures)
    url = needed_upstream(args.upstream)
    if args.jobs < 1:
        raise UserError("--jobs must be at least 1")
    if not settings.fixtures.is_dir():
        raise UserError(
            f"{settings.fixtures} does not exist; name a fixtures folder with --fixtures DIR"
        )
    store = FixtureStore(settings.fixtures)
    named = [name for digest in args.digests for name in store.find_all(digest)]
    names = list(dict.fromkeys(named)) or sorted(store.fixtures())
    stored = list(stored_replies(store, names))
    replies, is_whole = _replies(url, stored, args.jobs)
    if args.format == "json":
        print_json([reply.record() for reply in replies])
    else:
        for reply in replies:
            state, *more = _lines(reply)
            word = f"{reply.state:<7}"
            print_result(Painted(word, _COLOURS.get(reply.state, "grey")), state[len(word) :])
            for line in more:
                print_result(line)
    counts = Counter(reply.state for reply in replies)
    counts_in_words = [f"{counts[state]:,} {state}" for state in get_args(State) if counts[state]]
    in_words = ", ".join(counts_in_words) or "none compared"
    print_message("note", f"{counted(len(stored), 'fixture')}: {in_words}")
    if not is_whole:
        return EXIT_INTERRUPTED
    return EXIT_FINDINGS if counts["drifted"] or counts["failed"] else EXIT_OK


def _replies(url: str, stored: Sequence[StoredReply], jobs: int) -> tuple[list[StoredReply], bool]:
    """The replies received, in the order of the fixtures, and True if they are complete: Ctrl+C
    stops the requests. Raises NoAnswerError.
    """
    open_replies = [reply for reply in stored if reply.state is None]
    by_name = {reply.name: reply for reply in stored}
    done = 0
    is_whole = True
    with Progress("Asking", len(open_replies)) as progress:

        def take(reply: StoredReply) -> None:
            nonlocal done
            done += 1
            by_name[reply.name] = reply
            progress(done)

        try:
            if open_replies:
                asyncio.run(ask_again(url, open_replies, take, jobs=jobs))
        except KeyboardInterrupt:
            is_whole = False
    return [reply for reply in by_name.values() if reply.state is not None], is_whole


def _lines(reply: StoredReply) -> Iterator[str]:
    named = variant_of(reply.name)
    variant = f" variant {named}" if named else ""
    model = excerpt(str(reply.request.get("model") or ""), 24)
    text = excerpt(view(reply.request).last_user_text, TEXT_WIDTH) if reply.request else ""
    yield f"{reply.state:<7}  {short(reply.name)}{variant}  {model:<14}  {text}".rstrip()
    if reply.reason:
        yield f"         {reply.reason}"
    for difference in reply.differences:
        yield f"         {difference.what}: {difference.before} -> {difference.after}"
