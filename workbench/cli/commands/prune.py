"""``workbench prune``: delete the fixtures that no request of the logs used."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from workbench.cli.arguments import add_format
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixture_rows import fixture_row
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import NoLogError, add_log, logs_to_read, session_of
from workbench.cli.output import confirmed, print_json, print_message, print_result
from workbench.core.fixture.names import file_name, short_file_name
from workbench.core.text import shell
from workbench.core.text.wording import counted, listed, shortlist
from workbench.core.user_error import UserError
from workbench.io.files.path_text import error_text, shown
from workbench.io.files.stamps import FileStamp
from workbench.io.fixture.store import FixtureChangedError, FixtureStore
from workbench.io.logs.newest_log import PYTEST_LOG, USED_LOG
from workbench.io.processes.git import committed_files
from workbench.io.state_folder import StateFolder
from workbench.session.fixture.unused import UnusedFixture, unused_fixtures
from workbench.session.misses.other_server import other_folder
from workbench.session.misses.states import open_misses
from workbench.session.session import Session

_RUN_IT: Final = "run the whole suite: workbench run -- COMMAND"
# Tests that failed; other codes mean that a suite did not run to its end.
_FAILED: Final = 1


HELP: Final = CommandHelp(
    page="maintenance",
    examples={
        "workbench prune --dry-run": "list the fixtures that the newest run did not use",
        "workbench prune": "delete them; asks first",
    },
    about="Run the whole suite first: a fixture of a test that did not run counts as unused.",
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(parser)
    add_fixtures(parser, reads_log=True)
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--dry-run", action="store_true", help="list the unused fixtures without deleting them"
    )
    what.add_argument(
        "--yes", action="store_true", help="delete the unused fixtures without asking"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="delete even files whose current content is not in a commit of git",
    )
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    logs, is_json = _logs(args.log), args.format == "json"
    with session_of(logs, args.fixtures, writes=True, decides=True) as session:
        _check(session, logs)
        store, unused = session.store, unused_fixtures(session)
        stamps = {each.name: store.stamp(each.name) for each in unused}
        committed = committed_files(store.folder) if unused else frozenset()
        kept = [] if args.force else [n for n in stamps if file_name(n) not in committed]
        for name in kept:
            del stamps[name]
        if not is_json:
            _print_text(session, logs, unused, kept)
        is_wanted = _is_wanted(args, len(stamps))
        deleted = _deleted(store, stamps) if is_wanted else set()
        if is_json:
            rows = [
                {
                    **each.record(store),
                    "committed": file_name(each.name) in committed,
                    "deleted": each.name in deleted,
                }
                for each in unused
            ]
            print_json({"logs": logs, "requests": _requests(session), "unused": rows})
        elif deleted:
            print_message("note", f"deleted {counted(len(deleted), 'fixture')}")
    return EXIT_FINDINGS if is_wanted and len(deleted) < len(unused) else EXIT_OK


def _logs(named: Sequence[str]) -> list[str]:
    """The logs to read. By default these are the newest log and the logs of pytest's mocks, which
    answer without a server.
    """
    if named:
        return list(named)
    state = StateFolder.locate(Path.cwd())
    paths = (state.path / name for name in (PYTEST_LOG, USED_LOG))
    of_mocks = [os.fspath(shown(path)) for path in paths if path.exists()]
    try:
        newest = logs_to_read(named)
    except NoLogError:
        if not of_mocks:
            raise
        newest = []
    for log in of_mocks:
        print_message("note", f"reading {log}")
    return [*newest, *of_mocks]


def _check(session: Session, logs: Sequence[str]) -> None:
    """Raise UserError if the logs do not show which fixtures a whole suite uses."""
    index, name = session.miss_index, listed(logs)
    if folder := other_folder(session):
        raise UserError(
            f"the server of {name} reads {folder}, not {session.store.folder}",
            f"name its folder: --fixtures {shell.quoted(folder)}",
        )
    if None in index.suite_codes:
        raise UserError(f"{name}: the suite has not ended, or it was killed", _RUN_IT)
    if early := [code for code in index.suite_codes if code not in (None, EXIT_OK, _FAILED)]:
        raise UserError(f"{name}: the suite ended early, with exit code {early[0]}", _RUN_IT)
    if not _requests(session):
        raise UserError(f"{name} contains no requests", _RUN_IT)
    if not index.served:
        raise UserError(
            f"no line of {name} names a used fixture",
            "use a log of workbench run or workbench serve, which have such lines",
        )
    if _FAILED in index.suite_codes:
        print_message(
            "warning",
            "the suite failed, and a failed test may not send all its requests; check the list",
        )
    if missing := open_misses(session):
        print_message(
            "warning",
            f"{counted(len(missing), 'request')} in {name} had no fixture, so the fixtures of "
            "later "
            "turns may look unused; answer the requests and run the suite again",
        )


def _requests(session: Session) -> int:
    index = session.miss_index
    hits, misses = index.served.values(), index.misses.values()
    return sum(each.count for each in hits) + sum(miss.count for miss in misses)


def _print_text(
    session: Session, logs: Sequence[str], unused: Sequence[UnusedFixture], kept: Sequence[str]
) -> None:
    for each in unused:
        print_result(fixture_row(each.fixture, each.reason))
    total = counted(len(session.store.fixtures()), "fixture")
    print_message("note", f"{len(unused):,} of {total} unused by the requests in {listed(logs)}")
    if kept:
        is_one = len(kept) == 1
        they = "it is" if is_one else "they are"
        print_message(
            "note",
            f"{counted(len(kept), 'file')} kept, because {they} not in a commit of git: "
            f"{shortlist(map(short_file_name, kept))} (delete such files as well with --force)",
        )


def _is_wanted(args: argparse.Namespace, count: int) -> bool:
    """True if ``count`` fixtures should be deleted, after a question in the terminal or by an
    option.
    """
    if args.yes:
        return True
    if args.dry_run or args.format == "json" or not count:
        return False
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        print_message(
            "note", "not deleted, because there is no terminal to ask in; delete them with --yes"
        )
        return False
    return confirmed(f"Delete {counted(count, 'fixture')}?")


def _deleted(store: FixtureStore, stamps: Mapping[str, FileStamp | None]) -> set[str]:
    """Delete fixtures that are in these states; returns the names of those that were deleted."""
    deleted = set()
    for name, stamp in stamps.items():
        try:
            store.delete(name, expected=stamp)
        except (FixtureChangedError, OSError) as error:
            why = error_text(error) if isinstance(error, OSError) else str(error)
            print_message("error", f"{short_file_name(name)} is not deleted: {why}")
        else:
            deleted.add(name)
    return deleted
