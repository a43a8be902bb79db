"""The plugin's command-line options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pytest

# By the field of Options. Each has its own destination, so that another plugin's option of the same
# name is never read as ours.
_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "live": {
        "action": "store_true",
        "help": "run evals against the real model: mock_llm forwards their requests to "
        "OPENAI_BASE_URL",
    },
    "record": {
        "action": "store_true",
        "help": "with --llm-live: save the replies as fixtures",
    },
    "strict": {
        "action": "store_true",
        "help": "fail a test if mock_llm did not answer one of its requests",
    },
    "repeat": {"type": int, "metavar": "N", "default": 1, "help": "run each eval N times"},
    "no_skip": {
        "action": "store_true",
        "help": "fail tests whose backend is missing instead of skipping them",
    },
}


@dataclass(frozen=True, slots=True)
class Options:
    """The values of the options; those in ``taken`` belong to another plugin, which may be the
    project's own conftest.py.
    """

    live: bool = False
    record: bool = False
    strict: bool = False
    repeat: int = 1
    no_skip: bool = False
    taken: tuple[str, ...] = ()

    @classmethod
    def read(cls, config: pytest.Config) -> Options:
        """Raises pytest.UsageError for invalid values."""
        values = {name: getattr(config.option, _stored_as(name), None) for name in _OPTIONS}
        own = {name: value for name, value in values.items() if value is not None}
        options = cls(**own, taken=tuple(_flag(name) for name in _OPTIONS if name not in own))
        if options.repeat < 1:
            raise pytest.UsageError(f"--llm-repeat must be 1 or more, got {options.repeat}")
        if options.record and not options.live:
            raise pytest.UsageError("--llm-record needs --llm-live")
        return options


def add(parser: pytest.Parser) -> None:
    """Add the options that no other plugin has, after all others are there."""
    group = parser.getgroup("llm", "LLM applications (workbench)")
    for name, attributes in _OPTIONS.items():
        if not _is_taken(parser, _flag(name)):
            group.addoption(_flag(name), dest=_stored_as(name), **attributes)


def in_conflict(error: str) -> str | None:
    """The option of ours that is defined twice according to argparse's error message, or None."""
    _, _, named = error.partition("conflicting option string")
    return next((_flag(name) for name in _OPTIONS if _flag(name) in named), None)


def _is_taken(parser: pytest.Parser, flag: str) -> bool:
    try:
        _, unknown = parser.parse_known_and_unknown_args([flag])
    except pytest.UsageError:  # it takes a value
        return True
    return flag not in unknown


def _flag(name: str) -> str:
    return f"--llm-{name.replace('_', '-')}"


def _stored_as(name: str) -> str:
    return f"workbench_{name}"
