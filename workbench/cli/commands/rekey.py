"""``workbench rekey``: move a fixture to its changed request."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from workbench.cli.arguments import add_dry_run, add_format
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import add_log, digests_and_logs, session_of
from workbench.cli.output import confirmed, print_json, print_message, print_result
from workbench.core.requests.nearest import describe
from workbench.core.requests.request_change import RequestChange, is_volatile
from workbench.core.text import shell
from workbench.core.text.digests import LEAST_DIGITS, short
from workbench.core.text.wording import counted
from workbench.core.user_error import UserError
from workbench.io.command_options import finding
from workbench.session.misses.listing import find_miss
from workbench.session.rekey.carry_out import carried_out
from workbench.session.rekey.edited import plan_edited
from workbench.session.rekey.pairing import plan_one
from workbench.session.rekey.plan import LeftOut, RekeyPlan, without_secrets
from workbench.session.rekey.same_change import find_change, plan_same
from workbench.session.rekey.stale import plan_all
from workbench.session.session import Session

_NO_STALE: Final = (
    "nothing to do: no miss has a stale fixture (if more than dates and ids changed: workbench "
    "manual stale)"
)
_NO_LIKE: Final = "nothing to do: no other fixture has this change"
_NO_EDITED: Final = "nothing to do: every file name already matches its request"


HELP: Final = CommandHelp(
    page="stale",
    examples={
        "workbench rekey --all --dry-run": "list the fixtures whose requests changed only in "
        "dates, ids and the like",
        "workbench rekey fdc1 70d1": "move the fixture fdc1 to the changed request 70d1",
        "workbench rekey --edited": "rename each fixture whose stored request you edited",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "%(prog)s [-h] [--log PATH] [--fixtures DIR] [--dry-run] [--allow-secret]\n"
        "         [--format text|json] OLD NEW [LOG ...]\n"
        "       %(prog)s [-h] [--log PATH] [--fixtures DIR] [--dry-run] [--allow-secret]\n"
        "         [--format text|json] --all [LOG ...]\n"
        "       %(prog)s [-h] [--log PATH] [--fixtures DIR] [--dry-run | --yes] [--allow-secret]\n"
        "         [--format text|json] --like DIGEST [LOG ...]\n"
        "       %(prog)s [-h] [--fixtures DIR] [--dry-run] [--format text|json] --edited"
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="OLD NEW",
        help=f"digest of a fixture, then that of a miss; the first {LEAST_DIGITS} digits are "
        "enough. Arguments that are not digests are logs, the same as --log LOG",
    )
    add_log(parser)
    parser.add_argument(
        "--all",
        action="store_true",
        help="move every fixture whose request changed only in volatile text, such as dates and "
        "ids",
    )
    parser.add_argument(
        "--like",
        metavar="DIGEST",
        help="move every fixture whose request has the same change of words as that of DIGEST, "
        "which is a miss or a fixture that you moved; asks first",
    )
    parser.add_argument(
        "--edited",
        action="store_true",
        help="rename every fixture whose stored request you edited, so that its name is the "
        "digest of that request",
    )
    add_fixtures(parser, reads_log=True)
    parser.add_argument(
        "--allow-secret",
        action="store_true",
        help="store the new request even if it contains what looks like a key, a token or a "
        "password",
    )
    add_dry_run(parser)
    parser.add_argument("--yes", action="store_true", help="with --like: move without asking")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    digests, logs = _read(args)
    with session_of(logs, args.fixtures, writes=bool(logs)) as session:
        session.stale.catch_up()
        change = None if args.like is None else find_change(session, args.like)
        plan = _plan(args, session, digests, change)
        if not args.allow_secret:
            plan = without_secrets(plan, "--allow-secret stores it.")
        is_text, is_asked = args.format == "text", change is not None and not args.yes
        for difference in plan.changes if is_text and change is not None else ():
            print_result(f"change  {describe(difference)}")
        if is_text and (is_asked or args.dry_run):
            _print_text(session, plan, is_done=False, change=change)
        planned = plan
        is_wanted = not args.dry_run and (not is_asked or _is_wanted(args, len(plan.rekeys)))
        if is_wanted:
            plan = carried_out(session, plan)
        if not is_text:
            like = {} if change is None else {"change": change.record, "written": is_wanted}
            print_json({**like, **plan.record(session.store)})
        elif is_wanted:
            if is_asked:
                _print_left_out(plan.left_out[len(planned.left_out) :])
            else:
                _print_text(session, plan, is_done=True, change=change)
            if digests:
                _hint_others(session, plan, logs)
            elif plan.rekeys or plan.left_out:
                print_message("note", _total(plan))
        if is_text and not (planned.rekeys or planned.left_out):
            print_message("note", _nothing(args))
    return EXIT_FINDINGS if plan.left_out else EXIT_OK


def _read(args: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The digests and the logs of the arguments. Raises UserError."""
    if args.edited and (args.all or args.like is not None or args.words or args.log):
        raise UserError("--edited cannot be used with digests, logs, --all or --like")
    if args.all and args.like is not None:
        raise UserError("--all cannot be used with --like")
    if args.yes and args.like is None:
        raise UserError("--yes needs --like")
    if args.yes and args.dry_run:
        raise UserError("--yes cannot be used with --dry-run")
    if args.edited:
        return [], []
    digests, logs = digests_and_logs(args.words, args.log)
    if len(digests) != (0 if args.all or args.like is not None else 2):
        raise UserError("give OLD and NEW, or one of --all, --like DIGEST and --edited")
    return digests, logs


def _plan(
    args: argparse.Namespace, session: Session, digests: Sequence[str], change: RequestChange | None
) -> RekeyPlan:
    if change is not None:
        return plan_same(session, change)
    if args.edited:
        return plan_edited(session)
    if args.all:
        return plan_all(session)
    old, new = digests
    return plan_one(session, session.store.find(old), find_miss(session, new))


def _nothing(args: argparse.Namespace) -> str:
    if args.like is not None:
        return _NO_LIKE
    return _NO_EDITED if args.edited else _NO_STALE


def _total(plan: RekeyPlan) -> str:
    left_out = f", {len(plan.left_out):,} left out" if plan.left_out else ""
    return f"moved {counted(len(plan.rekeys), 'fixture')}{left_out}"


def _is_wanted(args: argparse.Namespace, count: int) -> bool:
    """True if ``count`` fixtures should be moved, after a question in the terminal."""
    if not count:
        return False
    if args.format == "json" or not (sys.stdin.isatty() and sys.stderr.isatty()):
        print_message(
            "note", "not moved, because there is no terminal to ask in; move them with --yes"
        )
        return False
    return confirmed(f"Move {counted(count, 'fixture')}?")


def _print_text(
    session: Session, plan: RekeyPlan, *, is_done: bool, change: RequestChange | None
) -> None:
    """Print what is moved, or would be. The differences that are the ``change`` of all are printed
    before.
    """
    moved, copied = ("moved ", "copied") if is_done else ("would move", "would copy")
    for rekey in plan.rekeys:
        what = copied if rekey.is_copy else moved
        for old, new in rekey.files:
            print_result(f"{what}  {old} -> {session.store.path(new)}")
        if rekey.remark:
            print_message("note", f"{rekey.new}: {rekey.remark}")
        for difference in rekey.differences:
            if change is None or is_volatile(difference):
                print_result(f"        {describe(difference)}")
    _print_left_out(plan.left_out)


def _hint_others(session: Session, plan: RekeyPlan, logs: Sequence[str]) -> None:
    """Print how many other fixtures have the same change as the moved one."""
    for rekey in plan.rekeys:
        change = RequestChange.of(rekey.differences)
        count = len(plan_same(session, change).rekeys) if change.words else 0
        if count:
            options = finding(logs, session.store.folder)
            command = shell.command(["workbench", "rekey", "--like", short(rekey.new), *options])
            others = "1 other has" if count == 1 else f"{count:,} others have"
            print_message("note", f"{others} the same change; move them as well: {command}")


def _print_left_out(left_out: Sequence[LeftOut]) -> None:
    for each in left_out:
        print_message("warning", f"{each.new} is left out: {each.reason}")
