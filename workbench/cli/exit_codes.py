"""The exit codes of every command, for its help and for the manual."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

EXIT_OK: Final = 0
EXIT_FINDINGS: Final = 1
EXIT_WRONG_USE: Final = 2
# As shells report a program that a signal ended.
EXIT_INTERRUPTED: Final = 130
EXIT_READER_LEFT: Final = 141

# For any other code.
OTHER: Final = "other"
_WRONG_USE: Final[dict[int | str, str]] = {
    EXIT_WRONG_USE: "wrong use, or a file that cannot be read"
}
_DONE: Final[dict[int | str, str]] = {EXIT_OK: "done"}

# Command, or "" for none -> exit code -> when.
EXIT_CODES: Final[Mapping[str, Mapping[int | str, str]]] = {
    "": {
        EXIT_OK: "you quit the terminal application",
        EXIT_FINDINGS: "the terminal application failed, or its terminal did",
        EXIT_WRONG_USE: "wrong use, or there is no terminal",
    },
    "run": {
        EXIT_OK: "the last run of COMMAND passed, and each of its requests had a fixture",
        EXIT_FINDINGS: "COMMAND passed, but one of its requests had no fixture",
        EXIT_WRONG_USE: "wrong use, or the server cannot start",
        126: "COMMAND cannot be executed",
        127: "COMMAND is not found",
        129: "SIGHUP ended COMMAND, passed on by workbench without the terminal application",
        EXIT_INTERRUPTED: "you ended COMMAND in the terminal application before it was done",
        143: "SIGTERM ended COMMAND, passed on by workbench without the terminal application",
        OTHER: "the exit code of the last run of COMMAND",
    },
    "serve": {
        EXIT_OK: "SIGTERM or Ctrl+C ended the server",
        EXIT_WRONG_USE: "wrong use, or the server cannot listen",
    },
    "misses": {
        EXIT_OK: "the requests are listed; with --fail: none of them is open",
        EXIT_FINDINGS: "with --fail: a request that is listed still needs an answer or a change",
        EXIT_WRONG_USE: "wrong use, or a log cannot be read; with --fail: or it is not that of a "
        "stub server",
    },
    "explain": {EXIT_OK: "the nearest fixtures are shown, if there are any", **_WRONG_USE},
    "promote": {
        EXIT_OK: "the fixture is written, or would be with --dry-run",
        EXIT_FINDINGS: "nothing is written, because of errors or a secret in the answer",
        EXIT_WRONG_USE: "wrong use, a file that cannot be read, or without --force: the fixture "
        "exists already",
    },
    "rekey": {
        EXIT_OK: "every fixture that was found is moved",
        EXIT_FINDINGS: "a fixture is left out",
        **_WRONG_USE,
    },
    "adopt": {
        EXIT_OK: "every request that the logs have is stored",
        EXIT_FINDINGS: "a fixture is left out",
        **_WRONG_USE,
    },
    "ignore": {EXIT_OK: "the request is on the list", **_WRONG_USE},
    "validate": {
        EXIT_OK: "there is no error, or no file to check; with --strict: and no warning",
        EXIT_FINDINGS: "there is an error; with --strict: or a warning",
        EXIT_WRONG_USE: "wrong use, a fix cannot be written, or all fixtures are in subfolders",
    },
    "hash": {EXIT_OK: "the digest is printed", EXIT_WRONG_USE: "wrong use, or not a request"},
    "preview": {
        EXIT_OK: "the reply is printed",
        EXIT_FINDINGS: "the fixture cannot be used",
        **_WRONG_USE,
    },
    "drift": {
        EXIT_OK: "every reply has the shape of the stored one",
        EXIT_FINDINGS: "a reply has another shape, a request failed, or the API does not answer",
        EXIT_WRONG_USE: "wrong use",
    },
    "schema": {**_DONE, EXIT_WRONG_USE: "wrong use"},
    "import": {
        EXIT_OK: "every entry is a fixture or a draft, or is no request of an API",
        EXIT_FINDINGS: "an entry cannot be imported",
        **_WRONG_USE,
    },
    "replay": {
        EXIT_OK: "the replay agrees with the recording",
        EXIT_FINDINGS: "it differs, or a step fails",
        **_WRONG_USE,
    },
    "wait": {
        EXIT_OK: "a stub server answers",
        EXIT_FINDINGS: "none answers in time; another program may",
        EXIT_WRONG_USE: "wrong use",
    },
    "completion": {**_DONE, EXIT_WRONG_USE: "wrong use"},
    "mcp": {EXIT_OK: "the agent closed the connection", **_WRONG_USE},
    "manual": {**_DONE, EXIT_WRONG_USE: "there is no such page"},
    "skill": {**_DONE, EXIT_WRONG_USE: "wrong use"},
}


def exit_code_lines(command: str | None) -> str:
    """The exit codes of a command, or of ``workbench`` without one, for its help: a line each."""
    return "\n".join(f"{code}: {when}." for code, when in EXIT_CODES[command or ""].items())
