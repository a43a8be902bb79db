"""The ``workbench`` command. Its verbs are modules of ``verbs``, each imported when called."""

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
from workbench.cli.exit_codes import EXIT_FINDINGS as EXIT_FINDINGS
from workbench.cli.exit_codes import EXIT_INTERRUPTED as EXIT_INTERRUPTED
from workbench.cli.exit_codes import EXIT_OK as EXIT_OK
from workbench.cli.exit_codes import EXIT_READER_LEFT, exit_code_lines
from workbench.cli.exit_codes import EXIT_WRONG_USE as EXIT_WRONG_USE
from workbench.core.user_error import UserError

# Verb -> what it does.
VERBS = {
    "run": "run a suite against a stub server, then list what had no fixture",
    "serve": "run the stub server",
    "misses": "list the requests in a log that had no fixture",
    "explain": "show the nearest fixture of a miss, and how it differs",
    "promote": "write a fixture for a miss",
    "rekey": "move a fixture to the request that replaced its own",
    "adopt": "store the request in fixtures that do not hold it",
    "ignore": "mark a miss as intended, with a reason",
    "validate": "check fixture files",
    "hash": "print the digest of a request",
    "preview": "print the reply the server would send",
    "drift": "ask the real model again, and compare the shapes of the replies",
    "schema": "print the JSON Schema of fixture files, for editors",
    "import": "turn HAR files, cassettes and fixtures of aimock into fixtures or drafts",
    "replay": "continue from a checkpoint with recorded replies",
    "wait": "wait until a stub server answers",
    "completion": "print a script for completion in bash, zsh or fish",
    "mcp": "offer all of this to coding agents, over MCP",
    "manual": "show the pages of the manual",
    "skill": "print the page that explains this to coding agents",
}


class UsageError(UserError):
    """The command cannot do what was asked. The arguments are the lines that say why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    verb = arguments[0] if arguments and arguments[0] in VERBS else None
    command = f"workbench {verb}" if verb else "workbench"
    try:
        _prepare_streams()
        code = _run(verb, arguments)
        sys.stdout.flush()
        return code
    except UserError as error:
        _complain(command, *error.args)
        return EXIT_WRONG_USE
    except BrokenPipeError:
        # The reader of our output (``| head``) closed the pipe.
        _drop_output()
        return EXIT_READER_LEFT
    except OSError as error:
        _complain(command, reason(error))
        if error.filename is None:  # standard output cannot be written
            _drop_output()
        return EXIT_WRONG_USE
    except KeyboardInterrupt:
        with contextlib.suppress(OSError, KeyboardInterrupt):
            sys.stdout.flush()
        _drop_output()
        return EXIT_INTERRUPTED


def _run(verb: str | None, arguments: list[str]) -> int:
    parser = verb_parser(verb)
    if verb is None and arguments and not arguments[0].startswith("-"):
        parser.error(_no_verb(arguments[0]))
    args, unknown = parser.parse_known_args(arguments[1:] if verb else arguments)
    late = None if verb else next((word for word in unknown if word in VERBS), None)
    if late:
        parser.error(f"the verb comes first: workbench {late} …")
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return int(module_of(verb).run(args))


def verb_parser(verb: str | None) -> argparse.ArgumentParser:
    """The parser for the arguments of a verb; None: for those of ``workbench`` without a verb."""
    if verb:
        what = VERBS[verb]
        described = f"{what[0].upper()}{what[1:]}."
        parser = _Parser(prog=f"workbench {verb}", description=described)
    else:
        verbs = "\n".join(f"  {name:<10} {what}" for name, what in VERBS.items())
        parser = _Parser(
            prog="workbench",
            description="Shows the requests that had no canned answer, "
            "and helps to write the answers.",
            epilog=f"verbs (for details: workbench VERB --help):\n{verbs}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        version = f"workbench {workbench.__version__}"
        parser.add_argument("--version", action="version", version=version)
    module_of(verb).configure(parser)
    parser.add_argument_group("exit codes", exit_code_lines(verb))
    return parser


def module_of(verb: str | None) -> Any:
    """The module of a verb, or for None of the terminal application. It has ``configure(parser)``
    and ``run(args)``.
    """
    if verb is None:
        return importlib.import_module("workbench.cli.tui")
    return importlib.import_module(f"workbench.cli.commands.{verb}" + "_" * keyword.iskeyword(verb))


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


def _complain(command: str, first: str, *more: str) -> None:
    """Print what went wrong."""
    from workbench.cli.output import print_message

    for line in (f"{command}: {first}", *more):
        print_message(line)


def reason(error: OSError) -> str:
    """The error of the system and its file: ``fixtures: Permission denied``."""
    why = error.strerror or str(error)
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    return f"{name}: {why}" if name else why


def _drop_output() -> None:
    """Discard buffered output, which Python would try to write again when it exits."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _no_verb(word: str) -> str:
    """The error for a first argument that is not a verb, with what may be meant."""
    from difflib import get_close_matches

    from workbench.core.text import shell
    from workbench.core.text.inert import escaped

    shown = escaped(word) or "''"
    if os.path.isfile(word):
        return f"{shown} is not a verb; to read a log: {shell.command(['--log', word])}"
    alike = get_close_matches(word, (*VERBS, "--help"), n=1)
    return f"there is no verb {shown}" + (f"; did you mean {alike[0]}?" if alike else "")


class _Parser(argparse.ArgumentParser):
    """A parser that does not abbreviate options, since ``--fix`` would be short for ``--fixtures``,
    and whose errors escape control characters.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        from workbench.core.text.inert import escaped

        super().error(escaped(message))
