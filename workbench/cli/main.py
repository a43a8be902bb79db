"""Finds the command, runs it, and makes its errors messages and exit codes.

Each command is a module of ``commands``, imported when it is called.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import keyword
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import workbench
from workbench.cli.exit_codes import (
    EXIT_INTERRUPTED,
    EXIT_READER_LEFT,
    EXIT_WRONG_USE,
    exit_code_lines,
)
from workbench.cli.output import OutputStyle, print_message, use_style
from workbench.core.user_error import UserError

# Command -> what it does.
COMMANDS = {
    "run": "run a suite against a stub server, then list what had no fixture",
    "serve": "run the stub server",
    "misses": "list the requests in a log that had no fixture",
    "explain": "show the nearest fixture of a miss, and how it differs",
    "promote": "write a fixture for a miss",
    "rekey": "move a fixture to the request that replaced its own",
    "adopt": "store the request in fixtures that do not hold it",
    "ignore": "mark a miss as intended, with a reason",
    "list": "list fixtures, or find them by words of question, answer and description",
    "show": "print a fixture: what was asked, the answer, and how to change it",
    "prune": "delete fixtures that no request in a log used",
    "validate": "check fixture files",
    "hash": "print the digest of a request",
    "preview": "print the reply the server would send",
    "drift": "ask the real model again, and compare the shapes of the replies",
    "schema": "print the JSON Schema of fixture files, for editors",
    "import": "turn HAR files, cassettes and fixtures of aimock into fixtures or drafts",
    "replay": "continue from a checkpoint with recorded replies",
    "wait": "wait until a stub server answers",
    "doctor": "show what is used: settings, fixtures, server, log and versions",
    "help": "show the help of a command",
    "completion": "print a script for completion in bash, zsh or fish",
    "mcp": "offer all of this to coding agents, over MCP",
    "manual": "show the pages of the manual",
    "skill": "print the page that explains this to coding agents",
}

# Those of ``_add_output``, as they begin.
_OUTPUT_OPTIONS = ("-q", "--quiet", "-v", "--verbose", "--color")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = _command_first(list(sys.argv[1:] if argv is None else argv))
    command = arguments[0] if arguments and arguments[0] in COMMANDS else None
    prog = f"workbench {command}" if command else "workbench"
    use_style(OutputStyle(prog))
    try:
        _prepare_streams()
        code = _run(command, arguments)
        sys.stdout.flush()
        return code
    except UserError as error:
        print_message("error", *error.args)
        return EXIT_WRONG_USE
    except BrokenPipeError:
        # The reader of our output (``| head``) closed the pipe.
        _drop_output()
        return EXIT_READER_LEFT
    except OSError as error:
        from workbench.io.files.path_text import error_text

        print_message("error", error_text(error))
        if error.filename is None:  # standard output cannot be written
            _drop_output()
        return EXIT_WRONG_USE
    except KeyboardInterrupt:
        with contextlib.suppress(OSError, KeyboardInterrupt):
            sys.stdout.flush()
        _drop_output()
        return EXIT_INTERRUPTED


def _command_first(arguments: list[str]) -> list[str]:
    """The arguments with the command before the options that every command has."""
    at = 0
    while at < len(arguments) and arguments[at].startswith(_OUTPUT_OPTIONS):
        at += 2 if arguments[at] == "--color" else 1
    if at < len(arguments) and arguments[at] in COMMANDS:
        return [arguments[at], *arguments[:at], *arguments[at + 1 :]]
    return arguments


def _run(command: str | None, arguments: list[str]) -> int:
    parser = command_parser(command)
    if command is None and arguments and not arguments[0].startswith("-"):
        parser.error(_no_command(arguments[0]))
    words = arguments[1:] if command else arguments
    # Options may stand between arguments, except before a command that has options of its own.
    is_mixed = command != "run" and "--" not in words
    parse = parser.parse_known_intermixed_args if is_mixed else parser.parse_known_args
    args, unknown = parse(words)
    late = None if command else next((word for word in unknown if word in COMMANDS), None)
    if late:
        parser.error(f"the command comes first: workbench {late} …")
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    use_style(OutputStyle(parser.prog, args.quiet, args.verbose, args.color))
    return int(module_of(command).run(args))


def command_parser(command: str | None) -> argparse.ArgumentParser:
    """The parser for the arguments of a command, or for None of ``workbench`` without one."""
    if command:
        what = COMMANDS[command]
        described = f"{what[0].upper()}{what[1:]}."
        parser = _Parser(prog=f"workbench {command}", description=described)
    else:
        commands = "\n".join(f"  {name:<10} {what}" for name, what in COMMANDS.items())
        parser = _Parser(
            prog="workbench",
            description="Shows the requests that had no canned answer, "
            "and helps to write the answers.",
            epilog=f"commands (for details: workbench COMMAND --help):\n{commands}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        version = f"workbench {workbench.__version__}"
        parser.add_argument("-V", "--version", action="version", version=version)
    module_of(command).configure(parser)
    _add_output(parser)
    parser.add_argument_group("exit codes", exit_code_lines(command))
    return parser


def _add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that say how it prints."""
    output = parser.add_argument_group("output")
    much = output.add_mutually_exclusive_group()
    much.add_argument(
        "-q", "--quiet", action="store_true", help="print no notes, only warnings and errors"
    )
    much.add_argument("-v", "--verbose", action="store_true", help="print what is read and used")
    output.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="use colours (default: auto, on a terminal; NO_COLOR and FORCE_COLOR count)",
    )


def module_of(command: str | None) -> Any:
    """The module of a command, or for None of the terminal application. It has
    ``configure(parser)`` and ``run(args)``.
    """
    if command is None:
        return importlib.import_module("workbench.cli.tui")
    return importlib.import_module(
        f"workbench.cli.commands.{command}" + "_" * keyword.iskeyword(command)
    )


def _prepare_streams() -> None:
    _open_missing_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character that the terminal cannot show must not stop the command.
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, io.TextIOWrapper):
        raw = _StandardError(sys.stderr.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(
            raw, sys.stderr.encoding, "backslashreplace", write_through=True
        )


class _StandardError(io.FileIO):
    """Standard error. A failure to write to it does not change the exit code."""

    def write(self, data: Any, /) -> int:
        with contextlib.suppress(OSError):
            super().write(data)
        return len(data)


def _open_missing_streams() -> None:
    """Open the null device for each standard stream that was closed when we started. Else the next
    file or socket would take its number, and receive what is written to it.
    """
    for name, mode in {"stdin": "r", "stdout": "w", "stderr": "w"}.items():
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


def _drop_output() -> None:
    """Discard buffered output, which Python would try to write again when it exits."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _no_command(word: str) -> str:
    """The error for a first argument that is not a command, with what may be meant."""
    from difflib import get_close_matches

    from workbench.core.text import shell
    from workbench.core.text.inert import escaped

    shown = escaped(word) or "''"
    if os.path.isfile(word):
        return f"{shown} is not a command; to read a log: {shell.command(['--log', word])}"
    similar = get_close_matches(word, (*COMMANDS, "--help"), n=1)
    return f"there is no command {shown}" + (f"; did you mean {similar[0]}?" if similar else "")


class _Parser(argparse.ArgumentParser):
    """A parser that does not abbreviate options, since ``--fix`` would be short for ``--fixtures``,
    and whose errors escape control characters.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        from workbench.core.text.inert import escaped

        super().error(escaped(message))
