"""``workbench promote``: write the fixture of a miss."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli import EXIT_FINDINGS, EXIT_OK, UsageError
from workbench.cli.common import read_input, write_data
from workbench.cli.logs import add_digest, add_log, find, session_of

if TYPE_CHECKING:
    from workbench.session.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(parser)
    add_digest(parser)
    parser.add_argument("--fixtures", type=Path, metavar="DIR", help="default: ./fixtures")
    answer = parser.add_argument_group("the answer, one of")
    answer.add_argument("--content", metavar="TEXT")
    answer.add_argument(
        "--tool-call",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "JSON"),
        help="a call with its arguments; again for more",
    )
    answer.add_argument("--response", metavar="FILE", help="a response object; - is standard input")
    answer.add_argument("--fallback", action="store_true", help="the fallback, as an answer")
    parser.add_argument("--description", default="", metavar="TEXT", help="what this answers")
    parser.add_argument("--dry-run", action="store_true", help="print the file, write nothing")


def run(args: argparse.Namespace) -> int:
    given = [args.content is not None, bool(args.tool_call), bool(args.response), args.fallback]
    if sum(given) != 1:
        raise UsageError("give one of --content, --tool-call, --response, --fallback")
    with session_of([args.log], args.fixtures) as session:
        digest = find(session, args.digest)
        if session.store.stamp(digest) is not None:
            raise UsageError(f"{session.store.path(digest)} exists already; edit it in workbench")
        _write_draft(session, digest, _response(args, digest), args.description)
        code = _report(session, digest)
        if args.dry_run:
            write_data(session.draft(digest).text.encode("utf-8"))
        elif code == EXIT_OK:
            _save(session, digest)
            print(session.store.path(digest))
        return code


def _write_draft(session: Session, digest: str, response: Mapping[str, Any], note: str) -> None:
    """Answer with ``response`` in the draft of ``digest``. Raises UsageError."""
    from workbench.core.fixtures import TOP_KEYS, set_key

    draft = session.draft(digest)
    value = set_key(draft.document.value, "response", response, TOP_KEYS)
    if note:
        value = set_key(value, "description", note, TOP_KEYS)
    try:
        draft.set_text(draft.document.with_value(value).text)
    except RecursionError:
        raise UsageError("the response is nested too deeply") from None


def _save(session: Session, digest: str) -> None:
    """Save a draft without errors. Raises UsageError."""
    from workbench.io.store import FixtureChangedError

    try:
        session.save(digest, secrets=True)  # which were reported
    except FixtureChangedError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"cannot write to {session.store.folder}: {error.strerror}") from None


def _response(args: argparse.Namespace, digest: str) -> dict[str, Any]:
    from workbench.core import skeleton
    from workbench.core.reply import FALLBACK_TEXT

    if args.response:
        try:
            response = json.loads(read_input(args.response))
        except RecursionError:
            raise UsageError(f"{args.response}: nested too deeply") from None
        except ValueError as error:
            raise UsageError(f"{args.response}: not JSON: {error}") from None
        if not isinstance(response, dict):
            raise UsageError(f"{args.response}: a response is a JSON object")
        return response
    if args.tool_call:
        calls = [
            {
                "index": number,
                "id": skeleton.call_id(digest, number),
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for number, (name, arguments) in enumerate(args.tool_call)
        ]
        return {"content": "", "tool_calls": calls, "finish_reason": "tool_calls"}
    content = FALLBACK_TEXT if args.fallback else args.content
    return {"content": content, "finish_reason": "stop"}


def _report(session: Session, digest: str) -> int:
    """Say what is wrong with the draft; the exit code says whether it blocks saving."""
    from workbench.core.inert import escaped

    assessment = session.assess(digest)
    for finding in assessment.findings:
        print(f"{finding.severity} {finding.rule} {escaped(finding.message)}", file=sys.stderr)
    return EXIT_FINDINGS if assessment.errors else EXIT_OK
