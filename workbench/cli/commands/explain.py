"""``workbench explain``: show the nearest fixture of a miss, and how it differs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Final

from workbench.cli.arguments import add_format
from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import add_digests, digests_and_logs, session_of, words_of
from workbench.cli.output import Colour, Painted, Progress, print_json, print_message, print_result
from workbench.core.fixture.names import digest_of
from workbench.core.requests.nearest import Nearest
from workbench.core.requests.volatile import KIND_NAMES, cure, in_words, setting
from workbench.core.text import shell
from workbench.core.text.digests import short
from workbench.io.command_options import finding, naming_folder
from workbench.session.misses.listing import find_miss
from workbench.session.misses.nearest_result import explanation, nearest_of
from workbench.session.misses.save_advice import why_not_saved
from workbench.session.misses.states import open_misses, state_of
from workbench.session.session import Session

# Longer strings are cut in text output, not in JSON.
TEXT_WIDTH = 300
# Of the lines of a difference, by how they begin.
_COLOURS: Final[dict[str, Colour]] = {"  - ": "red", "  + ": "green"}
# Values that are easily taken for one another, in words.
_EMPTY: Final[dict[str | None, str]] = {
    None: "nothing",
    "": "an empty text",
    "null": "null",
    "[]": "an empty list",
    "{}": "an empty object",
}


HELP: Final = CommandHelp(
    page="stale",
    examples={
        "workbench explain 99f0": "compare one miss with its nearest fixture",
        "workbench explain --format json": "print JSON about every open miss",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_digests(parser, "digest of a miss (default: every open miss)", required=False)
    add_fixtures(parser, reads_log=True)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    named, logs = digests_and_logs(words_of(args), args.log)
    with session_of(logs, args.fixtures) as session:
        session.nearest.refresh()
        session.equivalents.refresh()
        if named:
            digests = [find_miss(session, digest) for digest in named]
        else:
            digests = [miss.digest for miss in open_misses(session)]
        matches: dict[str, Nearest | None] = {}
        with Progress("Comparing", len(digests)) as progress:
            for digest in digests:
                matches[digest] = nearest_of(session, digest)
                progress(len(matches))
        if args.format == "json":
            rows = [explanation(session, digest, nearest) for digest, nearest in matches.items()]
            print_json(rows[0] if len(named) == 1 else rows)
        else:
            for digest, nearest in matches.items():
                for line in _lines(session, digest, nearest):
                    colour = _COLOURS.get(line[:4])
                    print_result(line if colour is None else Painted(line, colour))
            fault = session.miss_fixtures.fault
            movable = {
                digest: nearest
                for digest, nearest in matches.items()
                if not (fault(digest) or why_not_saved(session, digest))
            }
            _print_ways(session, logs, movable)
            if not matches:
                all_fine = "every miss has an answer"
                sentence = all_fine if session.miss_index.misses else "no miss in the log"
                print_message("note", sentence)
        _print_gaps(session, logs, matches)
    return EXIT_OK


def _print_ways(session: Session, logs: list[str], matches: Mapping[str, Nearest | None]) -> None:
    """Print the commands and settings that answer misses with stale and with edited fixtures."""
    options = finding(logs, session.store.folder)
    edited = {digest: n for digest, n in matches.items() if n is not None and n.is_edited}
    if edited:
        digest, first = next(iter(edited.items()))
        is_alone = len(edited) == 1
        which = (
            [short(digest_of(first.name)), short(digest)] if is_alone else ["--like", short(digest)]
        )
        whose = "" if len(matches) == 1 else f" of {len(edited)} of {len(matches)} misses"
        move = shell.command(["workbench", "rekey", *which, *options])
        print_result(f"if prompt or model{whose} changed on purpose:  {move}")
    stale = {digest: n for digest, n in matches.items() if n is not None and n.same_but_volatile}
    if not stale:
        return
    digest, first = next(iter(stale.items()))
    which = [digest_of(first.name), digest] if len(matches) == 1 else ["--all"]
    move = shell.command(["workbench", "rekey", *which, *options])
    kinds = list(dict.fromkeys(kind for nearest in stale.values() for kind in nearest.kinds))
    if len(matches) > 1:
        are = "is" if len(stale) == 1 else "are"
        same = f"the same request as a fixture's but for {in_words(kinds)}"
        print_result(f"{len(stale)} of {len(matches)} misses {are} {same}:")
    print_result(f"if this changed once:  {move}")
    print_result(f"if your test sets it:  {cure(kinds)}")
    print_result(f"if your prompt must contain it:  [tool.workbench] {setting(kinds)}")


def _print_gaps(session: Session, logs: list[str], digests: Mapping[str, Nearest | None]) -> None:
    """Print why there may be a fixture nearer than the one found."""
    unknown = [digest for digest in digests if not session.miss_index.misses[digest].dumps]
    for digest in unknown:
        print_message("warning", f"the request of {digest} is not in the log")
    if session.nearest.without_request and len(unknown) < len(digests):
        count = session.nearest.without_request
        adopt = shell.command(["workbench", "adopt", *finding(logs, session.store.folder)])
        have = "fixture has" if count == 1 else "fixtures have"
        print_message(
            "note",
            f"{count} {have} no request to compare with; add the requests from a log: {adopt}",
        )


def _lines(session: Session, digest: str, nearest: Nearest | None) -> Iterator[str]:
    if fault := session.miss_fixtures.fault(digest):
        yield f"{digest}  its own fixture cannot be sent: {fault}"
        return
    if nearest is None:
        answered = state_of(session, digest).kind == "answered"
        yield f"{digest}  {'answered by its own fixture' if answered else 'no similar fixture'}"
        return
    path = session.store.path(nearest.name)
    if nearest.is_guess:
        yield f"{digest}  perhaps {path} (a guess from its description; it stores no request)"
        return
    if nearest.is_equivalent:
        yield f"{digest}  equivalent to {path}, which answers it; these parts differ:"
    elif nearest.same_but_volatile:
        yield f"{digest}  {nearest.same_but_for}: {path}"
    else:
        shared = f"{nearest.shared} of {nearest.messages} messages shared"
        yield f"{digest}  nearest {nearest.score:.2f}  {shared}  {path}"
    if not nearest.differences:
        options = naming_folder(session.store.folder)
        move = shell.command(["workbench", "rekey", "--edited", *options])
        yield f"the same request; rename the file: {move}"
    for other in nearest.others:
        yield f"also: {session.store.path(other)}"
    for difference in nearest.differences:
        kind = f", {KIND_NAMES[difference.kind]}" if difference.kind else ""
        place = f", character {difference.after_start}" if difference.after_text else ""
        role = f" {difference.role}" if difference.role else ""
        if not place and {difference.before, difference.after} <= _EMPTY.keys():
            was, is_now = _EMPTY[difference.before], _EMPTY[difference.after]
            yield f"{difference.where}{role}: {is_now} instead of {was}"
            continue
        yield f"{difference.where}{role}{place}{kind}"
        before, after = difference.sides(TEXT_WIDTH)
        if difference.before is not None:
            yield f"  - {before}"
        if difference.after is not None:
            yield f"  + {after}"
    if secret := why_not_saved(session, digest):
        yield secret
    if profile := nearest.echoed_profile:
        other = "stub" if profile == "openai" else "openai"
        yield (
            f"cause: the application got its earlier reply in profile {profile}, but the fixture "
            f"was made in profile {other}"
        )
        yield f'to use one profile:  [tool.workbench] profile = "{profile}"'
