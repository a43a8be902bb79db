"""The ``workbench`` command. Each verb is a module here, imported only when it is called, so that
``workbench hash`` starts without the terminal application, and the other way round.
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

# Verb -> what it does. ``workbench.cli.<verb>`` has ``configure(parser)`` and ``run(args)``.
VERBS = {
    "serve": "run the stub server",
    "misses": "list every miss of a log once",
    "explain": "show the fixture nearest to a miss, and the difference",
    "promote": "write the fixture of a miss",
    "rekey": "move a fixture to the request that came in place of its own",
    "adopt": "store requests in fixtures that lack them",
    "ignore": "say that a miss is wanted",
    "validate": "check fixture files",
    "hash": "print the digest of a request",
    "preview": "print what the server would send",
    "schema": "print the JSON Schema of a fixture file, for editors",
    "import": "make fixtures of HAR files and cassettes",
    "replay": "go on from a checkpoint with recorded replies",
}

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_WRONG_USE = 2
# As a shell says it of a program that a signal ended.
EXIT_INTERRUPTED = 130
EXIT_READER_LEFT = 141


class UsageError(Exception):
    """The command cannot do what it was asked for; the text says why, further arguments are further
    lines. Exit code 2.
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    verb = arguments[0] if arguments and arguments[0] in VERBS else None
    command = f"workbench {verb}" if verb else "workbench"
    try:
        _prepare_streams()
        code = _run(verb, command, arguments)
        sys.stdout.flush()
        return code
    except UsageError as error:
        _complain(command, *error.args)
        return EXIT_WRONG_USE
    except BrokenPipeError:
        # The reader of our output left (``| head``) before it had the verdict.
        _drop_output()
        return EXIT_READER_LEFT
    except OSError as error:
        _complain(command, reason(error))
        _drop_output()
        return EXIT_WRONG_USE
    except KeyboardInterrupt:
        with contextlib.suppress(OSError, KeyboardInterrupt):
            sys.stdout.flush()
        _drop_output()
        return EXIT_INTERRUPTED


def _run(verb: str | None, command: str, arguments: list[str]) -> int:
    name = f"{verb}_" if verb and keyword.iskeyword(verb) else verb or "tui"
    module = importlib.import_module(f"workbench.cli.{name}")
    parser = _parser(verb, command)
    module.configure(parser)
    if verb is None and arguments and not arguments[0].startswith("-"):
        parser.error(_no_verb(arguments[0]))
    return int(module.run(parser.parse_args(arguments[1:] if verb else arguments)))


def _prepare_streams() -> None:
    _open_missing_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character the terminal is said not to have is no reason to stop.
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, io.TextIOWrapper):
        talk = _Talk(sys.stderr.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(
            talk, sys.stderr.encoding, "backslashreplace", write_through=True
        )


class _Talk(io.FileIO):
    """Standard error. What nobody can hear of it changes no exit code."""

    def write(self, data: Any, /) -> int:
        with contextlib.suppress(OSError):
            super().write(data)
        return len(data)


def _open_missing_streams() -> None:
    """A standard stream that was closed when we started is empty, and swallows. Else the next file
    or socket would have its number, and get what is written to it.
    """
    for name, mode in {"stdin": "r", "stdout": "w", "stderr": "w"}.items():
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


def _complain(command: str, first: str, *more: str) -> None:
    """Say what went wrong; names of files in it act on no terminal."""
    from workbench.cli.output import print_message

    for line in (f"{command}: {first}", *more):
        print_message(line)


def reason(error: OSError) -> str:
    """What the system says, and of which file: ``fixtures: Permission denied``."""
    why = error.strerror or str(error)
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    return f"{name}: {why}" if name else why


def _drop_output() -> None:
    """What is still to be written goes nowhere, or Python would try again at its end."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _no_verb(word: str) -> str:
    """What is wrong with ``word``, which stands where a verb does, and what may be meant."""
    from difflib import get_close_matches

    from workbench.core import shell
    from workbench.core.inert import escaped

    shown = escaped(word) or "''"
    if os.path.isfile(word):
        return f"{shown} is no verb; a log is read with {shell.command(['--log', word])}"
    alike = get_close_matches(word, (*VERBS, "--help"), n=1)
    return f"there is no verb {shown}" + (f"; did you mean {alike[0]}?" if alike else "")


class _Parser(argparse.ArgumentParser):
    """A parser that takes options by their whole names alone, since ``--fix`` would be short for
    ``--fixtures``, and whose complaints act on no terminal.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        from workbench.core.inert import escaped

        super().error(escaped(message))


def _parser(verb: str | None, command: str) -> argparse.ArgumentParser:
    if verb:
        what = VERBS[verb]
        return _Parser(prog=command, description=f"{what[0].upper()}{what[1:]}.")
    verbs = "\n".join(f"  {name:<10} {what}" for name, what in VERBS.items())
    parser = _Parser(
        prog=command,
        description="Shows which requests had no canned answer, and helps to write the answers.",
        epilog=f"verbs (workbench VERB --help tells more):\n{verbs}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"workbench {workbench.__version__}")
    return parser
