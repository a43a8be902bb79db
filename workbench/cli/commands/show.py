"""``workbench show``: print a fixture for people."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeGuard

from workbench.cli.arguments import add_format
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures, settings_for
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.fixture.names import is_variant, short_name
from workbench.core.fixture.summary import brief_answer
from workbench.core.json.layout import layout
from workbench.core.json.text import is_json
from workbench.core.replies.response import FixtureError, calls
from workbench.core.requests.messages import FunctionCall
from workbench.core.text import shell
from workbench.core.text.digests import LEAST_DIGITS
from workbench.io.command_options import naming_folder
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.newest_log import newest_log
from workbench.session.fixture.listing import fixture_record

_LABEL_WIDTH: Final = 13
# Longer arguments are printed on several lines.
_LINE_CHARACTERS: Final = 80
# A longer answer is edited in its file.
_COMMAND_CHARACTERS: Final = 300


HELP: Final = CommandHelp(
    page="maintenance",
    examples={
        "workbench show 1b0a": "print the fixture whose digest begins with 1b0a",
        "workbench show 1b0a --format json": "print JSON, for a program",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "digest",
        metavar="DIGEST",
        help=f"digest or file of a fixture; the first {LEAST_DIGITS} digits are enough",
    )
    add_fixtures(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    store = FixtureStore(settings_for(args.fixtures).fixtures)
    name = store.find(args.digest)
    try:
        record = fixture_record(store, name)
    except FixtureError as error:
        path = store.path(name)
        print_message("error", f"{path}:{error.line}:{error.column}: {error.rule} {error}")
        return EXIT_FINDINGS
    newest = newest_log(Path.cwd())  # as promote reads it
    options = naming_folder(store.folder, [] if newest is None else [str(newest)])
    record["edit"] = _edit_command(name, record, options)
    if args.format == "json":
        print_json(record)
    else:
        for line in _lines(record):
            print_result(line)
    return EXIT_OK


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    yield from _labelled("file", record["path"])
    for other in record["others"]:
        yield from _labelled("variant", other)
    yield from _labelled("description", str(record["description"] or "(none)"))
    if not record["turn"]:
        yield from _labelled("question", "(request not stored)")
    else:
        if record["opening"] != record["question"]:
            yield from _labelled("opening", record["opening"])
        yield from _labelled(f"turn {record['turn']}", record["question"])
    *first, last = record["responses"]
    for number, response in enumerate(first, start=1):
        yield from _labelled(f"answer {number}", _answer(response))
    yield from _labelled("then" if first else "answer", _answer(last))
    yield from _labelled("change it", record["edit"])


def _labelled(label: str, text: str) -> Iterator[str]:
    """The lines of text, the first after its label."""
    for line in text.split("\n"):
        yield f"{label:<{_LABEL_WIDTH}}{line}".rstrip()
        label = ""


def _answer(response: Mapping[str, Any]) -> str:
    """A response: its text, its calls with their arguments, or how it fails."""
    called = [f"{call.name} {_arguments(call)}" for call in calls(response)]
    if "error" in response or "disconnect_after" in response or not called:
        return brief_answer(response) or "(empty)"
    text = response.get("content")
    return "\n".join([*([text] if isinstance(text, str) and text else []), *called])


def _arguments(call: FunctionCall) -> str:
    if len(call.arguments) <= _LINE_CHARACTERS or not is_json(call.arguments):
        return call.arguments
    return layout(call.arguments, 2)


def _edit_command(name: str, record: Mapping[str, Any], options: list[str]) -> str:
    """The command that changes the answer: with the answer as it is now where ``promote`` can write
    that, else an editor with the file.
    """
    *first, response = record["responses"]
    answer = _options(response)
    words = ["workbench", "promote", short_name(name), "--force", *answer, *options]
    is_short = sum(map(len, words)) <= _COMMAND_CHARACTERS
    if first or is_variant(name) or not answer or not is_short:
        return f"${{EDITOR:-vi}} {shell.quoted(record['path'])}"
    return shell.command(words)


def _options(response: Mapping[str, Any]) -> list[str]:
    """The options of ``promote`` that give an answer as it is; none where they cannot."""
    called, content = calls(response), response.get("content")
    is_plain = response.keys() <= {"content", "tool_calls", "finish_reason", "usage"}
    has_own_reason = response.get("finish_reason") not in (None, "tool_calls" if called else "stop")
    if not is_plain or has_own_reason or (called and content):
        return []
    if not called:
        return ["--content", content] if _is_typable(content) else []
    values = [value for call in called for value in (call.name, call.arguments)]
    if not all(map(_is_typable, values)):
        return []
    return [word for call in called for word in ("--tool-call", call.name, call.arguments)]


def _is_typable(value: object) -> TypeGuard[str]:
    """True if a value can be the argument of an option."""
    if not isinstance(value, str) or value.startswith("-") or "\0" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)
