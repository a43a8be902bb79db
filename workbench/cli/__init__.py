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


class UsageError(Exception):
    """The command cannot do what it was asked for; the text says why, further arguments are further
    lines. Exit code 2.
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    _open_missing_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    verb = arguments[0] if arguments and arguments[0] in VERBS else None
    name = f"{verb}_" if verb and keyword.iskeyword(verb) else verb or "tui"
    module = importlib.import_module(f"workbench.cli.{name}")
    parser = _parser(verb)
    module.configure(parser)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character the terminal is said not to have is no reason to stop.
        sys.stdout.reconfigure(errors="backslashreplace")
    if verb is None and arguments and not arguments[0].startswith("-"):
        parser.error(_no_verb(arguments[0]))
    args = parser.parse_args(arguments[1:] if verb else arguments)
    try:
        code = int(module.run(args))
        print(end="", flush=True)
        return code
    except UsageError as error:
        _complain(parser.prog, error)
        return EXIT_WRONG_USE
    except BrokenPipeError:
        # The reader of our output left (``| head``); there is nobody to tell.
        _drop_output()
        return EXIT_OK
    except OSError as error:
        _complain(parser.prog, error)
        _drop_output()
        return EXIT_WRONG_USE
    except KeyboardInterrupt:
        return 130


def _open_missing_streams() -> None:
    """A standard stream that was closed when we started is empty, and swallows. Else the next file
    or socket would have its number, and get what is written to it.
    """
    for name, mode in {"stdin": "r", "stdout": "w", "stderr": "w"}.items():
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


def _complain(command: str, error: Exception) -> None:
    """Say what went wrong; names of files in it act on no terminal."""
    from workbench.core.inert import escaped

    first, *more = error.args if isinstance(error, UsageError) else (error,)
    for line in (f"{command}: {first}", *more):
        print(escaped(line), file=sys.stderr)


def _drop_output() -> None:
    """What is still to be written goes nowhere, or Python would try again at its end."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _no_verb(word: str) -> str:
    """What is wrong with ``word``, which stands where a verb does, and what may be meant."""
    from difflib import get_close_matches

    from workbench.core.inert import escaped

    shown = escaped(word)
    if os.path.isfile(word):
        return f"{shown} is no verb; a log is read with --log {shown}"
    alike = get_close_matches(word, VERBS, n=1)
    return f"there is no verb {shown}" + (f"; did you mean {alike[0]}?" if alike else "")


def _parser(verb: str | None) -> argparse.ArgumentParser:
    if verb:
        return argparse.ArgumentParser(prog=f"workbench {verb}", description=f"{VERBS[verb]}.")
    verbs = "\n".join(f"  {name:<10} {what}" for name, what in VERBS.items())
    parser = argparse.ArgumentParser(
        prog="workbench",
        description="Shows which requests had no canned answer, and helps to write the answers.",
        epilog=f"verbs (workbench VERB --help tells more):\n{verbs}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"workbench {workbench.__version__}")
    return parser
