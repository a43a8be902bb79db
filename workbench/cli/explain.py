"""``workbench explain``: the fixture nearest to a miss, and the difference."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from workbench.cli import EXIT_OK
from workbench.cli.common import add_format
from workbench.cli.logs import add_fixtures, add_log, find, session_of
from workbench.cli.output import print_json, print_message, print_result
from workbench.core import shell

if TYPE_CHECKING:
    from workbench.core.requests.differences import Difference
    from workbench.core.requests.nearest import Nearest
    from workbench.session.session import Session


# Longer texts are cut in the text form; JSON has all.
TEXT_WIDTH = 300


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(parser)
    parser.add_argument(
        "digest",
        nargs="?",
        metavar="DIGEST",
        help="of a miss; its first digits are enough (default: every miss without an answer)",
    )
    add_fixtures(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    with session_of([args.log], args.fixtures) as session:
        session.nearest.refresh()
        if args.digest is not None:
            digests = [find(session, args.digest)]
        else:
            digests = [miss.digest for miss in session.misses()]
        found = {digest: session.nearest_of(digest) for digest in digests}
        if args.format == "json":
            rows = [{"digest": d, "nearest": n and _row(session, n)} for d, n in found.items()]
            print_json(rows if args.digest is None else rows[0])
        else:
            for digest, nearest in found.items():
                for line in _lines(session, digest, nearest):
                    print_result(line)
            _print_ways(args.log, found)
            if not found:
                print_message("workbench explain: no miss wants an answer")
        _print_gaps(session, found)
    return EXIT_OK


def _print_ways(log: str, found: Mapping[str, Nearest | None]) -> None:
    """Say what answers the misses that are requests of fixtures on another day."""
    days = {digest: n for digest, n in found.items() if n is not None and n.same_but_volatile}
    if not days:
        return
    digest, first = next(iter(days.items()))
    which = [first.digest, log, digest] if len(found) == 1 else ["--all", log]
    move = shell.command(["workbench", "rekey", *which])
    kinds = dict.fromkeys(kind for nearest in days.values() for kind in nearest.kinds)
    listed = ", ".join(f'"{kind}"' for kind in kinds)
    misses = "it" if len(found) == 1 else f"{len(days)} of {len(found)} misses"
    print_result(f"to move {'the fixture' if len(days) == 1 else 'the fixtures'}:  {move}")
    print_result(f"to answer {misses} without:  [tool.workbench] normalise = [{listed}]")


def _print_gaps(session: Session, found: Mapping[str, Nearest | None]) -> None:
    """Say why there may be a nearer fixture than the one found."""
    unknown = [digest for digest in found if not session.book.misses[digest].dumps]
    for digest in unknown:
        print_message(f"workbench explain: the request of {digest} is not in the log")
    if session.nearest.without_request and len(unknown) < len(found):
        count = session.nearest.without_request
        hold = "fixture holds" if count == 1 else "fixtures hold"
        print_message(
            f"workbench explain: {count} {hold} no request (written elsewhere), "
            "and nearest needs it; workbench adopt stores it"
        )


def _row(session: Session, nearest: Nearest) -> dict[str, Any]:
    return {
        "digest": nearest.digest,
        "path": str(session.store.path(nearest.digest)),
        "same_but_volatile": nearest.same_but_volatile,
        "score": round(nearest.score, 4),
        "differences": [_difference(difference) for difference in nearest.differences],
        "guess": nearest.is_guess,
        "shared_messages": nearest.shared,
        "messages": nearest.messages,
        "others": list(nearest.others),
        "normalise": list(nearest.kinds),
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "where": difference.where,
        "role": difference.role,
        "before": difference.before,
        "after": difference.after,
        "before_start": difference.before_start,
        "after_start": difference.after_start,
        "kind": difference.kind,
    }


def _lines(session: Session, digest: str, nearest: Nearest | None) -> Iterator[str]:
    from workbench.core.requests.volatile_kinds import NAMES

    if nearest is None:
        answered = session.state(digest).kind == "answered"
        yield f"{digest}  {'its own fixture answers it' if answered else 'no fixture is like it'}"
        return
    path = session.store.path(nearest.digest)
    if nearest.is_guess:
        yield f"{digest}  perhaps {path}: a guess by its description, it holds no request"
        return
    if nearest.same_but_volatile:
        yield f"{digest}  the same request on another day as {path}"
    else:
        shared = f"{nearest.shared} of {nearest.messages} messages shared"
        yield f"{digest}  nearest {nearest.score:.2f}  {shared}  {path}"
    for other in nearest.others:
        yield f"as is {session.store.path(other)}"
    for difference in nearest.differences:
        kind = f", {NAMES[difference.kind]}" if difference.kind else ""
        place = f", character {difference.after_start}" if difference.after is not None else ""
        role = f" {difference.role}" if difference.role else ""
        yield f"{difference.where}{role}{place}{kind}"
        before, after = difference.sides(TEXT_WIDTH)
        if difference.before is not None:
            yield f"  - {before}"
        if difference.after is not None:
            yield f"  + {after}"
