"""``workbench hash``: print the digest of a request."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from workbench.cli.arguments import filled, open_input, read_input
from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import print_message, print_result, write_data
from workbench.core.apis import NAMES
from workbench.core.apis.recognition import is_conversation
from workbench.core.digest import digest
from workbench.core.request_body import RequestError, parse_request
from workbench.core.text.inert import json_escaped
from workbench.core.user_error import UserError

if TYPE_CHECKING:
    from workbench.core.requests.view import Payload, RequestView

CHAT: Final = NAMES[0]
# Keys that requests of chat do not have.
_KEYS_OF_OTHERS: Final = {"input": "responses", "contents": "gemini", "system": "messages"}


HELP: Final = CommandHelp(
    page="digest",
    examples={
        "workbench hash request.json": "print the digest of the request in a file",
        "workbench hash --explain request.json": "also show the hashed text",
        "workbench hash --jsonl < requests.jsonl": "print one digest per line",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        type=filled,
        nargs="?",
        default="-",
        metavar="FILE",
        help="file with the request (default: -, standard input)",
    )
    parser.add_argument(
        "--api",
        choices=NAMES,
        help="API of the request (default: the API that a line of a log gives, else chat)",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--jsonl",
        action="store_true",
        help="read one request per line and print one digest per line",
    )
    group.add_argument(
        "--explain",
        action="store_true",
        help="also print the hashed text and what is left out",
    )


def run(args: argparse.Namespace) -> int:
    if args.jsonl:
        return _hash_lines(args.file, args.api)
    payload, digest = _read(_shown_name(args.file), read_input(args.file), args.api)
    lines = _explanation(payload, digest) if args.explain else (digest,)
    text = "".join(f"{line}\n" for line in lines)
    write_data(text.encode("utf-8", "backslashreplace"))
    return EXIT_OK


def _shown_name(name: str) -> str:
    return "stdin" if name == "-" else name


def _read(place: str, body: bytes, api: str | None) -> tuple[Payload, str]:
    """A request and its digest. Raises UserError."""
    try:
        payload = parse_request(body)
        if api:
            payload["api"] = api
        if payload.get("api", CHAT) == CHAT:
            if isinstance(payload.get("response"), dict) and not is_conversation(payload):
                print_message(
                    "warning",
                    f"{place}: this is a fixture, not a request; the digest of its request is in "
                    "the name of its file",
                )
            elif api is None and (other := _other_api(payload)):
                print_message(
                    "warning",
                    f"{place}: this looks like a request of another API; add --api {other}",
                )
            return payload, digest(payload)
        from workbench.core.apis.table import view

        request = view(payload)
        request_digest = request.digest
    except RequestError as error:
        raise UserError(f"{place}: {error}") from None
    for doubt in _doubts(request):
        print_message("warning", f"{place}: {doubt}")
    return payload, request_digest


def _other_api(payload: Payload) -> str | None:
    """The API other than chat that a request was probably made for."""
    return next((api for key, api in _KEYS_OF_OTHERS.items() if key in payload), None)


def _doubts(request: RequestView) -> Iterator[str]:
    """Why the server does not look for the digest of a request of an API other than chat."""
    from workbench.core.apis.table import api_of

    payload = request.payload
    if reason := api_of(payload).request.unsupported(payload):
        yield f"no fixture answers this request: {reason}"
    references = api_of(payload).replies.references
    if references is not None and references.ids(payload) and "earlier" not in payload:
        yield (
            "it continues an earlier reply, which is part of the digest; hash the request in the "
            "log of the server, which contains both"
        )
    if request.canonical.model is None:
        yield 'it has no "model", which is part of the digest (a Gemini request has it in its path)'


def _hash_lines(name: str, api: str | None) -> int:
    """Print the digest of each line; stops at the first line that is not a request.

    Lines end at newline bytes only: JSON strings may hold other line ends.
    """
    shown = _shown_name(name)
    with open_input(name) as file:
        empty = 0
        try:
            for number, line in enumerate(file, 1):
                if empty:
                    raise UserError(f"{shown}, line {empty}: the line is empty")
                if line.strip():
                    place = f"{shown}, line {number}"
                    print_result(_read(place, line.rstrip(b"\r\n"), api)[1])
                else:
                    empty = number  # an error, unless it is the last
        finally:
            sys.stdout.flush()
    return EXIT_OK


def _explanation(payload: Payload, digest: str) -> Iterator[str]:
    """The digest, the text that is hashed, and the parts of the request that are not in it."""
    from workbench.core.apis.chat.hashed import compared_with_script, left_out_of_digest
    from workbench.core.apis.table import view

    request = view(payload)
    yield digest
    yield ""
    text = request.canonical.text
    shown = json_escaped(text)
    yield "hashed, in UTF-8" + (
        " (control characters are shown escaped):" if shown != text else ":"
    )
    yield f"  {shown}"
    if request.api != CHAT:
        return  # which parts count is a matter of the translation
    left_out = list(left_out_of_digest(payload))
    if left_out:
        yield ""
        yield "left out:"
        yield from (f"  {json_escaped(line)}" for line in left_out)
    comparison = list(compared_with_script(payload, digest))
    if comparison:
        yield ""
        yield from comparison
