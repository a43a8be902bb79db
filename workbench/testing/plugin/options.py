"""The plugin's command-line options."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any, Final

import pytest

# By the field of Options. Each has its own destination, so that another plugin's option of the same
# name is never read as ours.
_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "live": {
        "action": "store_true",
        "help": "run evals against the real model: mock_llm passes their requests on to "
        "OPENAI_BASE_URL instead of answering them",
    },
    "record": {
        "action": "store_true",
        "help": "with --llm-live: keep the replies as fixtures",
    },
    "strict": {
        "action": "store_true",
        "help": "fail a test that passed although mock_llm did not answer one of its requests",
    },
    "repeat": {"type": int, "metavar": "N", "default": 1, "help": "run each eval N times"},
    "no_skip": {
        "action": "store_true",
        "help": "fail tests whose backend is missing, instead of skipping them",
    },
}


@dataclass(frozen=True, slots=True)
class Options:
    """The values of the options; those in ``taken`` belong to another plugin, which defined them
    first.
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
        given = {name: getattr(config.option, _stored_as(name), None) for name in _OPTIONS}
        known = {name: value for name, value in given.items() if value is not None}
        options = cls(**known, taken=tuple(_flag(name) for name in _OPTIONS if name not in known))
        if options.repeat < 1:
            raise pytest.UsageError(f"--llm-repeat is {options.repeat}; expected 1 or more")
        if options.record and not options.live:
            raise pytest.UsageError("--llm-record keeps what a real model replies: add --llm-live")
        return options


def add(parser: pytest.Parser) -> None:
    """Add the options; one that another plugin defined first stays that plugin's."""
    group = parser.getgroup("llm", "LLM applications (workbench)")
    for name, attributes in _OPTIONS.items():
        try:
            group.addoption(_flag(name), dest=_stored_as(name), **attributes)
        except (ValueError, argparse.ArgumentError):
            continue


def _flag(name: str) -> str:
    return f"--llm-{name.replace('_', '-')}"


def _stored_as(name: str) -> str:
    return f"workbench_{name}"
