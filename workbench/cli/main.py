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
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import workbench
from workbench.cli.exit_codes import (
    EXIT_INTERRUPTED,
    EXIT_READER_LEFT,
    EXIT_WRONG_USE,
)
from workbench.cli.help_text import help_text
from workbench.cli.output import OutputStyle, print_message, use_style
from workbench.core.text.wording import did_you_mean, near, sentence
from workbench.core.user_error import NotFoundError, UserError

# The summary of each command, by group and command.
COMMAND_GROUPS = {
    "Test": {
        "run": "run your tests against the stub server, then list the misses",
        "serve": "start the stub server",
        "wait": "wait until a stub server is ready",
    },
    "Answer": {
        "misses": "list the requests of a log that have no fixture",
        "explain": "show the nearest fixture of a miss and what differs",
        "promote": "write the fixture for a miss",
        "ignore": "answer a miss with a placeholder reply for good",
    },
    "Maintain": {
        "list": "list fixtures, or search their questions and answers",
        "show": "print a fixture: the question, the answer, how to change it",
        "validate": "check fixture files",
        "rekey": "rename fixtures whose request has changed",
        "adopt": "add the missing request to fixtures, from a log",
        "prune": "delete fixtures that no request used",
        "drift": "compare fixtures with what the real model answers today",
        "import": "create fixtures from HAR files, cassettes and aimock fixtures",
    },
    "Inspect": {
        "preview": "print the reply that the server sends for a fixture",
        "hash": "print the digest of a request",
        "replay": "continue from a checkpoint with recorded replies",
        "doctor": "show the settings, fixtures, server and log in use",
    },
    "Set up": {
        "completion": "print a completion script for bash, zsh or fish",
        "schema": "print the JSON Schema of fixture files, for your editor",
        "mcp": "start an MCP server for coding agents",
        "skill": "print a skill file for coding agents",
        "manual": "show a page of the manual",
        "help": "show the help of a command",
    },
}
# Command -> what it does.
COMMANDS = {
    command: what for commands in COMMAND_GROUPS.values() for command, what in commands.items()
}

_ABOUT = """\
Test LLM applications against canned answers.

A stub server answers each request of your application from a file, its fixture. A request without \
a fixture is a miss. You write the answer once, and every later run gets it. Without a command, \
workbench opens the terminal application, which lists the misses."""

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
    # Options may be between arguments, except before a command that has options of its own.
    is_mixed = command != "run" and "--" not in words
    parse = parser.parse_known_intermixed_args if is_mixed else parser.parse_known_args
    args, unknown = parse(words)
    late = None if command else next((word for word in unknown if word in COMMANDS), None)
    if late:
        parser.error(f"the command comes first: workbench {late} …")
    if unknown:
        parser.error(_unknown(unknown, parser.format_help()))
    use_style(OutputStyle(parser.prog, args.quiet, args.verbose, args.color))
    try:
        return int(module_of(command).run(args))
    except NotFoundError as error:
        raise UserError(str(error), f"list the fixtures: {_listing(args)}") from None


def _listing(args: argparse.Namespace) -> str:
    """The command that lists the fixtures of a command with these arguments."""
    from workbench.core.text import shell
    from workbench.io.command_options import naming_folder

    folder = vars(args).get("fixtures")
    return shell.command(["workbench", "list", *(naming_folder(folder) if folder else [])])


def command_parser(command: str | None) -> argparse.ArgumentParser:
    """The parser for the arguments of a command, or for None of ``workbench`` without one."""
    parser = _Parser(command)
    if command is None:
        version = f"workbench {workbench.__version__}"
        parser.add_argument(
            "-V", "--version", action="version", version=version, help="print the version"
        )
    module_of(command).configure(parser)
    _add_output(parser)
    return parser


def _summary(command: str | None) -> str:
    if command is not None:
        return sentence(COMMANDS[command])
    groups = (
        [f"{title}:", *(f"  {name:<12}{what}" for name, what in commands.items())]
        for title, commands in COMMAND_GROUPS.items()
    )
    return "\n\n".join([_ABOUT, *map("\n".join, groups)])


def _add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options about output, which every command has."""
    output = parser.add_argument_group("output")
    much = output.add_mutually_exclusive_group()
    much.add_argument("-q", "--quiet", action="store_true", help="print only warnings and errors")
    much.add_argument(
        "-v", "--verbose", action="store_true", help="also print which files and settings are used"
    )
    output.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="use colours (default: auto, which is on in a terminal; NO_COLOR and FORCE_COLOR are "
        "read)",
    )


def module_of(command: str | None) -> Any:
    """The module of a command, or for None of the terminal application. It has
    ``configure(parser)``, ``run(args)`` and ``HELP``.
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


def _unknown(words: Sequence[str], help: str) -> str:
    """The error for arguments that a command does not have, with the option that may be meant."""
    option = next((word for word in words if word.startswith("-")), None)
    if option is None:
        return f"unexpected argument{'s' * (len(words) > 1)} {' '.join(words)}"
    name = option.partition("=")[0]
    return f"unknown option {name}{did_you_mean(near(name, re.findall('--[a-z-]+', help)))}"


def _no_command(word: str) -> str:
    """The error for a first argument that is not a command, with what may be meant."""
    from workbench.core.text import shell

    if os.path.isfile(word):
        opens = shell.command(["workbench", "--log", word])
        return f"{word} is not a command; to open a log: {opens}"
    guess = did_you_mean(near(word, (*COMMANDS, "--help")))
    return f"unknown command {shell.quoted(word)}{guess}"


class _Parser(argparse.ArgumentParser):
    """A parser that does not abbreviate options, since ``--fix`` would be short for ``--fixtures``,
    and whose errors are messages like all others.
    """

    def __init__(self, command: str | None) -> None:
        self._command = command
        prog = f"workbench {command}" if command else "workbench"
        usage = None if command else "%(prog)s [OPTIONS]\n       %(prog)s COMMAND [OPTIONS]"
        super().__init__(
            prog=prog,
            usage=usage,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def format_help(self) -> str:
        more = module_of(self._command).HELP
        return help_text(self._command, _summary(self._command), super().format_help(), more)

    def error(self, message: str) -> NoReturn:
        text = message.replace(": not allowed with argument ", " cannot be used with ")
        print_message("error", text.removeprefix("argument "), f"see {self.prog} --help")
        self.exit(EXIT_WRONG_USE)
