"""``workbench promote``: write a fixture for a miss."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, Final

from workbench.cli.arguments import (
    add_format,
    api_url,
    needed_upstream,
    read_input,
    typed_text,
    whole_number,
)
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import add_digests, digests_and_logs, one_digest, session_of, words_of
from workbench.cli.output import Level, print_json, print_message, print_result, write_data
from workbench.core.fixture.document import decode, parse
from workbench.core.fixture.findings import Severity
from workbench.core.fixture.names import short_name
from workbench.core.json.spans import line_column
from workbench.core.replies.response import FALLBACK_TEXT, FixtureError
from workbench.core.text import shell
from workbench.core.text.wording import shortlist
from workbench.core.user_error import UserError
from workbench.io.command_options import naming_folder
from workbench.session.answers.decisions import SecretFoundError
from workbench.session.answers.later_turns import later_turns, quoting_sentence
from workbench.session.answers.promotion import (
    Promotion,
    calls_response,
    text_response,
)
from workbench.session.misses.listing import find_answerable, find_variant, shared_digest_warning
from workbench.session.session import Session

_LEVELS: Final[dict[Severity, Level]] = {"error": "error", "warning": "warning", "info": "note"}
NOT_WRITTEN: Final = "not saved"


HELP: Final = CommandHelp(
    page="headless",
    examples={
        "workbench promote 99f0 --content 'It is raining in London.'": "answer with text",
        """workbench promote 327f --tool-call get_weather '{"city": "Lisbon"}'""": "answer with a "
        "call to a tool that the request offers",
        "workbench promote 99f0 --first --error 429": "fail the first request, to test a retry; "
        "the next one gets the answer above",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_digests(parser, "digest of a miss or of a fixture")
    add_fixtures(parser, reads_log=True)
    answers = parser.add_argument_group("the answer (give one of these)")
    answer = answers.add_mutually_exclusive_group(required=True)
    answer.add_argument("--content", type=typed_text, metavar="TEXT", help="answer with this text")
    answer.add_argument(
        "--tool-call",
        type=typed_text,
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "JSON"),
        help="answer with a call to a tool and its arguments (for a custom tool, its text); "
        "repeatable",
    )
    answer.add_argument(
        "--response",
        metavar="FILE",
        help="answer with the response object in this file; - for standard input",
    )
    answer.add_argument(
        "--fallback",
        action="store_true",
        help="answer with the text of the fallback (the placeholder reply)",
    )
    answer.add_argument(
        "--error",
        type=whole_number,
        metavar="STATUS",
        help="answer with an error of the API: its HTTP status, 400 to 599",
    )
    answer.add_argument(
        "--upstream",
        type=api_url,
        nargs="?",
        const=False,  # the value in the settings
        metavar="URL",
        help="answer with the reply of the real API at this base URL, such as "
        "https://api.openai.com/v1 (default: the settings); the key is read from "
        "WORKBENCH_UPSTREAM_KEY",
    )
    parser.add_argument(
        "--description",
        type=typed_text,
        metavar="TEXT",
        help="description of the fixture; '' for none (default: the name of the test and the new "
        "text of the request)",
    )
    parser.add_argument(
        "--variant",
        type=whole_number,
        metavar="N",
        help="answer the N-th of several requests with this digest, which differ in tools or "
        "output format; the fixtures of the others stay as they are",
    )
    parser.add_argument(
        "--first",
        action="store_true",
        help="send this answer to the first request only; the fixture must exist. Repeat it for "
        "the second request",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace the response of an existing fixture; the rest of a readable file stays as it "
        "is",
    )
    parser.add_argument(
        "--allow-secret",
        action="store_true",
        help="save the fixture even if it contains what looks like a key, a token or a password",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the file without writing it")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    # A fixture that is changed stores its request itself.
    is_change = args.force or args.first
    digests, logs = digests_and_logs(words_of(args), args.log, needs_log=not is_change)
    prefix = one_digest(digests)
    if "-" in logs and args.response == "-":
        raise UserError("standard input can be the log or the response, not both")
    if args.first and args.force:
        raise UserError(
            "--first cannot be used with --force: --first adds an answer, --force replaces it"
        )
    with session_of(logs, args.fixtures, creates=True, writes=True) as session:
        digest = find_answerable(session, prefix)
        variant = args.variant
        if variant is None:
            variant = find_variant(session, digest, prefix)
        try:
            promotion = Promotion(session, digest, variant)
            if promotion.is_answered and not (args.force or args.first):
                raise UserError(
                    f"{promotion.path} exists already; replace its response with --force, or add "
                    "an answer before it with --first"
                )
            assessment = promotion.write(
                _response(args, session, digest, promotion),
                description=args.description,
                is_recorded=args.upstream is not None,
                is_first=args.first,
            )
            is_fine = not assessment.errors
            if is_fine and not args.dry_run:
                promotion.save(allow_secret=args.allow_secret)
        except SecretFoundError as error:
            is_fine = False
            print_message("error", f"{NOT_WRITTEN}: {error} To save it anyway: --allow-secret")
        path, text, turns = promotion.path, promotion.text, later_turns(session)
        if turns:
            names = list(map(short_name, turns))
            folder = naming_folder(session.store.folder)
            show = shell.command(["workbench", "show", names[0], *folder])
            print_message(
                "note",
                f"{quoting_sentence(turns)} ({shortlist(names)}), so the next run of the suite "
                f"requests {'it' if len(turns) == 1 else 'them'} again; look at "
                f"{'it' if len(turns) == 1 else 'the first'}: {show}",
            )
        if is_fine and promotion.not_stored:
            print_message("note", promotion.not_stored)
        if variant is None and (warning := shared_digest_warning(session, digest)):
            print_message("warning", f"{warning}; answer one of them with --variant N")
    if args.format == "json":
        print_json(
            {
                "digest": digest,
                "path": str(path),
                "saved": is_fine and not args.dry_run,
                "findings": [finding.record() for finding in assessment.findings],
                "text": text,
                **({"later_turns": turns} if turns else {}),
            }
        )
    else:
        for finding in assessment.findings:
            print_message(_LEVELS[finding.severity], f"{finding.rule}: {finding.message}")
        if args.dry_run:
            write_data(text.encode("utf-8"))
        elif is_fine:
            print_result(str(path))
        elif assessment.errors:
            print_message("error", f"{NOT_WRITTEN}: fix the errors above")
    return EXIT_OK if is_fine else EXIT_FINDINGS


def _response(
    args: argparse.Namespace, session: Session, digest: str, promotion: Promotion
) -> Mapping[str, Any]:
    if args.upstream is not None:
        return _upstream_response(
            session,
            digest,
            needed_upstream(args.upstream or None),
            promotion.payload,
        )
    if args.response is not None:
        return _read_response(args.response)
    if args.error is not None:
        return {"error": {"status": args.error}}
    if args.tool_call:
        return calls_response(digest, args.tool_call, promotion.offering)
    return text_response(FALLBACK_TEXT if args.fallback else args.content)


def _upstream_response(
    session: Session, digest: str, url: str, payload: Mapping[str, Any] | None
) -> Mapping[str, Any]:
    """The answer of the upstream. Raises UserError."""
    import asyncio

    if payload is None:
        raise UserError(
            "the log does not contain the request, so it cannot be sent; run the suite again"
        )
    session.upstream_url = url
    asyncio.run(session.upstream.ask(digest, payload))
    return session.upstream.answers.pop(digest).response


def _read_response(name: str) -> dict[str, Any]:
    """The response object in the file ``name``. Raises UserError, with the place."""
    try:
        read = parse(decode(read_input(name)), "a response")
    except FixtureError as error:
        raise UserError(f"{name}:{error.line}:{error.column}: {error}") from None
    for key, _, offset in read.oddities.duplicates:
        line, column = line_column(read.text, offset)
        raise UserError(f"{name}:{line}:{column}: {key!r} appears twice in this object; remove one")
    return read.value  # type: ignore[no-any-return]
