"""``workbench preview``: print the reply the server would send."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from workbench.cli.arguments import add_profile, filled, read_input, resolve_settings, whole_number
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures, settings_for
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import print_message, write_data
from workbench.core.apis.table import api_of, view
from workbench.core.fixture.document import placed, read_value, stored_request
from workbench.core.fixture.name_prefix import WrongLengthError, read_prefix
from workbench.core.fixture.names import (
    digest_of,
    file_name,
    is_variant,
    name_of,
    short_name,
    variant_of,
)
from workbench.core.replies.answer import Answer, find_answer
from workbench.core.replies.http_reply import HTTPReply
from workbench.core.replies.profile_names import SERVE_PROFILE
from workbench.core.replies.response import (
    Delivery,
    FixtureError,
    NeutralReply,
    fixture_replies,
)
from workbench.core.request_body import RequestError, parse_request
from workbench.core.text.digests import short
from workbench.core.text.wording import counted
from workbench.core.user_error import NotFoundError, UserError
from workbench.io.fixture.store import FixtureStore

HELP: Final = CommandHelp(
    page="fixture-file",
    examples={
        "workbench preview 1b0a": "print the reply as JSON",
        "workbench preview 1b0a --stream": "print it as a stream",
        "workbench preview --request request.json": "print the reply to a request without a "
        "fixture",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "fixture",
        type=filled,
        nargs="?",
        metavar="FIXTURE",
        help="digest or file of a fixture, or - for standard input (default: no fixture, so the "
        "reply is the fallback, or what the directives in --request ask for)",
    )
    add_fixtures(parser)
    parser.add_argument("--stream", action="store_true", help="print the streamed (SSE) reply")
    parser.add_argument(
        "--request",
        type=filled,
        metavar="FILE",
        help="file with the request to answer, or - for standard input (default: the request in "
        "the fixture, else {})",
    )
    parser.add_argument(
        "--nth",
        type=whole_number,
        metavar="N",
        help='print the reply to the N-th request, from 1, if the fixture has answers in "first" '
        "(default: the reply to every later request)",
    )
    add_profile(parser, SERVE_PROFILE)
    parser.add_argument(
        "--created",
        type=whole_number,
        metavar="SECONDS",
        help="time in the reply, in seconds since 1970 (default: now)",
    )


def run(args: argparse.Namespace) -> int:
    if args.nth == 0:
        raise UserError("--nth must be at least 1")
    if args.fixture == args.request == "-":
        raise UserError("standard input can be the fixture or the request, not both")
    fixture = args.fixture and _file(args.fixture, args.fixtures)
    answer = _answer(fixture, args.request, args.nth)
    for problem in answer.problems:
        print_message("warning", problem)
    if answer.broken is not None:
        error = answer.broken
        print_message("error", f"{fixture}:{error.line}:{error.column}: {error.rule} {error}")
        return EXIT_FINDINGS
    if fixture is not None and answer.reply.response == {}:
        print_message(
            "note",
            f'{fixture} has nothing under "response", so the reply is empty (to reply to a '
            f"request: --request {fixture})",
        )
    profile = resolve_settings({"profile": args.profile}).profile or SERVE_PROFILE
    created = int(time.time()) if args.created is None else args.created
    try:
        writer = api_of(answer.request.payload).replies.writer(profile, answer.request)
        sent = writer.reply(answer, created, stream=args.stream)
    except RecursionError:
        raise UserError(f"{fixture}: nested too deeply to be sent") from None
    write_data(sent.body)
    for line in _delivery_notes(sent, answer.reply.delivery):
        print_message("note", line)
    return EXIT_OK


def _file(name: str, fixtures: Path | None) -> str:
    """The file that ``name`` means: a path, or the beginning of a digest. Raises UserError."""
    if os.path.exists(name):
        return name
    try:
        read_prefix(name)
    except WrongLengthError:
        raise
    except NotFoundError:
        return name
    store = FixtureStore(settings_for(fixtures).fixtures)
    return str(store.path(store.find(name)))


def _delivery_notes(sent: HTTPReply, delivery: Delivery) -> Iterator[str]:
    """Notes on parts of the reply outside the body: an error status, delays, a closed
    connection.
    """
    if delivery.delay_ms:
        yield f"sent after {delivery.delay_ms:,} ms"
    if delivery.chunk_delay_ms and sent.is_stream:
        yield f"{delivery.chunk_delay_ms:,} ms before each frame"
    if sent.status not in (0, 200):
        yield sent.head
    if sent.is_cut:
        yield sent.end


def _answer(fixture: str | None, request: str | None, nth: int | None) -> Answer:
    """The answer of the server to the ``nth`` request, from 1; None: to every later one. Raises
    UserError for a file that cannot be read, or that is not a request.
    """
    data = b""
    value: Mapping[str, Any] | None = None
    broken: FixtureError | None = None
    if fixture is not None:
        data = read_input(fixture)
        try:
            value = read_value(data)
        except FixtureError as error:
            broken = error

    def lookup(_digest: str) -> Mapping[str, Any] | None:
        if broken is not None:
            raise broken
        return value

    name = name_of(Path(fixture).name) if fixture is not None else None
    named = digest_of(name) if name is not None else ""
    try:
        if request is not None:
            chat_request = view(parse_request(read_input(request)))
            digest = chat_request.digest
            if name is not None and digest != named:
                print_message(
                    "note",
                    f"the digest of {request} is {short(digest)}; "
                    f"the server would not answer it with {file_name(short_name(name))}",
                )
            elif name is not None and is_variant(name) and chat_request.variant != variant_of(name):
                print_message(
                    "note",
                    f"the variant of {request} is {chat_request.variant}; "
                    f"the server would not answer it with {file_name(short_name(name))}",
                )
        else:
            chat_request = stored_request(value or {}) or view({})
            digest = named or chat_request.digest
    except RequestError as error:
        raise UserError(f"{request or fixture}: {error}") from None

    def read(fixture: Mapping[str, Any]) -> NeutralReply:
        replies = fixture_replies(fixture)
        if nth is None and len(replies) > 1:
            count = counted(len(replies) - 1, "request")
            print_message(
                "note", f"the first {count} of a test get other replies; print them with --nth 1"
            )
        return replies[-1 if nth is None else min(nth, len(replies)) - 1]

    answer = find_answer(chat_request, digest, lookup, read)
    if answer.broken is None:
        return answer
    return answer._replace(broken=placed(answer.broken, data))
