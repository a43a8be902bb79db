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

# Stands for all codes that are not listed.
OTHER: Final = "other"
_WRONG_USE: Final[dict[int | str, str]] = {
    EXIT_WRONG_USE: "the arguments are wrong, or a file cannot be read"
}
_DONE: Final[dict[int | str, str]] = {EXIT_OK: "done"}

# When each command ends with each of its exit codes. The command "" is `workbench` alone.
EXIT_CODES: Final[Mapping[str, Mapping[int | str, str]]] = {
    "": {
        EXIT_OK: "you quit the terminal application",
        EXIT_FINDINGS: "the terminal application failed, or lost its terminal",
        EXIT_WRONG_USE: "the arguments are wrong, or there is no terminal",
    },
    "run": {
        EXIT_OK: "COMMAND passed and no fixture was missing",
        EXIT_FINDINGS: "COMMAND passed, but at least one of its requests had no fixture "
        "(see --allow-misses)",
        EXIT_WRONG_USE: "the arguments are wrong, or the server cannot start",
        126: "COMMAND cannot be executed",
        127: "COMMAND is not found",
        129: "SIGHUP ended COMMAND (without the terminal application)",
        EXIT_INTERRUPTED: "you stopped COMMAND before it finished",
        143: "SIGTERM ended COMMAND (without the terminal application)",
        OTHER: "the exit code of the last run of COMMAND",
    },
    "serve": {
        EXIT_OK: "SIGTERM or Ctrl+C ended the server",
        EXIT_WRONG_USE: "the arguments are wrong, or the server cannot listen",
    },
    "misses": {
        EXIT_OK: "the requests are listed, and with --fail none needs an answer or a change",
        EXIT_FINDINGS: "with --fail, a listed request still needs an answer or a change",
        EXIT_WRONG_USE: "the arguments are wrong, a log cannot be read, or with --fail a LOG is "
        "not a server log",
    },
    "explain": {EXIT_OK: "the nearest fixtures are shown, if there are any", **_WRONG_USE},
    "promote": {
        EXIT_OK: "the fixture is written, or with --dry-run printed",
        EXIT_FINDINGS: "the fixture is not written, because the answer has errors or contains a "
        "secret",
        EXIT_WRONG_USE: "the arguments are wrong, a file cannot be read, or the fixture exists "
        "(see --force and --first)",
    },
    "rekey": {
        EXIT_OK: "all fixtures that can be moved are moved, or listed",
        EXIT_FINDINGS: "at least one fixture is left as it was",
        **_WRONG_USE,
    },
    "adopt": {
        EXIT_OK: "all fixtures whose requests are in the logs store them",
        EXIT_FINDINGS: "at least one fixture is left as it was",
        **_WRONG_USE,
    },
    "ignore": {EXIT_OK: "the request is in the ignore list", **_WRONG_USE},
    "list": {EXIT_OK: "the fixtures are listed, if there are any", **_WRONG_USE},
    "show": {
        EXIT_OK: "the fixture is printed",
        EXIT_FINDINGS: "the fixture cannot be used",
        EXIT_WRONG_USE: "the arguments are wrong, or there is no such fixture",
    },
    "prune": {
        EXIT_OK: "the unused fixtures are listed, or all of them are deleted",
        EXIT_FINDINGS: "at least one unused fixture is left as it was",
        EXIT_WRONG_USE: "the arguments are wrong, or the logs do not show which fixtures the whole "
        "suite uses",
    },
    "validate": {
        EXIT_OK: "no fixture has an error (with --strict, no warning either), or there is no "
        "fixture",
        EXIT_FINDINGS: "a fixture has an error (with --strict, or a warning)",
        EXIT_WRONG_USE: "the arguments are wrong, a fix cannot be written, or all fixtures are in "
        "subfolders",
    },
    "hash": {
        EXIT_OK: "the digest is printed",
        EXIT_WRONG_USE: "the arguments are wrong, or the input is not a request",
    },
    "preview": {
        EXIT_OK: "the reply is printed",
        EXIT_FINDINGS: "the fixture cannot be used",
        **_WRONG_USE,
    },
    "drift": {
        EXIT_OK: "each reply has the same shape as the stored one",
        EXIT_FINDINGS: "a reply has another shape, a request failed, or the API does not answer",
        EXIT_WRONG_USE: "the arguments are wrong",
    },
    "schema": {**_DONE, EXIT_WRONG_USE: "the arguments are wrong"},
    "import": {
        EXIT_OK: "all requests of APIs are imported, as fixtures or as drafts",
        EXIT_FINDINGS: "at least one entry cannot be imported",
        **_WRONG_USE,
    },
    "replay": {
        EXIT_OK: "the replay is the same as the recording",
        EXIT_FINDINGS: "the replay differs from the recording, or a step fails",
        **_WRONG_USE,
    },
    "wait": {
        EXIT_OK: "a stub server answers",
        EXIT_FINDINGS: "no stub server answers in time",
        EXIT_WRONG_USE: "the arguments are wrong",
    },
    "doctor": {
        EXIT_OK: "everything can be used",
        EXIT_FINDINGS: "a setting cannot be used, or a fixture has an error",
        EXIT_WRONG_USE: "the arguments are wrong",
    },
    "help": {**_DONE, EXIT_WRONG_USE: "the arguments are wrong, or there is no such command"},
    "completion": {**_DONE, EXIT_WRONG_USE: "the arguments are wrong"},
    "mcp": {EXIT_OK: "the agent closed the connection", **_WRONG_USE},
    "manual": {**_DONE, EXIT_WRONG_USE: "the arguments are wrong, or there is no such page"},
    "skill": {**_DONE, EXIT_WRONG_USE: "the arguments are wrong"},
}
