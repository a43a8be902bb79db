"""The plugin's marks, and which marks of a test belong to it.

``llm_eval`` and ``llm_requires_backend`` always do. The short names ``eval`` and
``requires_backend`` may belong to the project itself or to another plugin. They are the plugin's if
nobody else has registered them and it understands their arguments, with the setting ``short_marks =
true``, and on a test that a ``GoldenQuery`` parametrizes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import pytest

from workbench.testing.evals.golden import GoldenQuery

_EVAL: Final = "eval"
_REQUIRES_BACKEND: Final = "requires_backend"
_DESCRIPTIONS: Final[Mapping[str, str]] = {
    _EVAL: "(pass_rate=1.0): an eval; pass_rate is the part of its repeated runs that must pass",
    _REQUIRES_BACKEND: "(env=[], url_env=None, reject=[], probe=None): skip the test unless the "
    "variables in env are set and the URL in url_env begins with none of reject; "
    'probe="dns" or "tcp" looks for its host',
}
_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    _EVAL: ("pass_rate",),
    _REQUIRES_BACKEND: ("env", "url_env", "reject", "probe"),
}


class BadMarkError(ValueError):
    """A mark of the plugin with invalid arguments."""


class PluginMarks:
    """The plugin's marks on a project's tests.

    Args:
        short: whether ``eval`` and ``requires_backend`` belong to the plugin on every test.
    """

    def __init__(self, *, short: bool) -> None:
        self._short = short
        self._unclaimed: set[str] = set()

    def register(self, config: pytest.Config) -> None:
        """Register the marks, the short ones unless somebody else has."""
        registered = {re.split(r"\W", line, maxsplit=1)[0] for line in config.getini("markers")}
        self._unclaimed = _DESCRIPTIONS.keys() - registered
        for name, description in _DESCRIPTIONS.items():
            config.addinivalue_line("markers", f"llm_{name}{description}")
            if self._short or name in self._unclaimed:
                config.addinivalue_line("markers", name + description)

    def eval(self, test: pytest.Item) -> pytest.Mark | None:
        return self._of(test, _EVAL)

    def requires_backend(self, test: pytest.Item) -> pytest.Mark | None:
        return self._of(test, _REQUIRES_BACKEND)

    def _of(self, test: pytest.Item, name: str) -> pytest.Mark | None:
        if mark := test.get_closest_marker(f"llm_{name}"):
            return mark
        mark = test.get_closest_marker(name)
        if mark is None:
            return None
        is_ours = name in self._unclaimed and not _unknown(mark)
        return mark if is_ours or self._short or _asks_golden_query(test) else None


def _names(mark: pytest.Mark) -> tuple[str, ...]:
    return _ARGUMENTS[mark.name.removeprefix("llm_")]


def _unknown(mark: pytest.Mark) -> list[str]:
    """The arguments that a mark of the plugin does not take."""
    return [*map(repr, mark.args), *sorted(mark.kwargs.keys() - {*_names(mark)})]


def require_known(mark: pytest.Mark) -> None:
    """Raises BadMarkError if a mark has arguments that it does not take."""
    if unknown := _unknown(mark):
        given = ", ".join(unknown)
        raise BadMarkError(f"{mark.name} does not take {given}; it takes {', '.join(_names(mark))}")


def pass_rate(mark: pytest.Mark) -> float:
    """The part of an eval's runs that must pass. Raises BadMarkError."""
    require_known(mark)
    rate = mark.kwargs.get("pass_rate", 1.0)
    if not isinstance(rate, int | float) or not 0 <= rate <= 1:
        raise BadMarkError(f"{mark.name}: pass_rate is {rate!r}; expected 0 to 1")
    return float(rate)


def _asks_golden_query(test: pytest.Item) -> bool:
    """Whether ``pytest.mark.parametrize`` gives the test golden queries."""
    return any(
        _holds_golden_query(given, depth=3)
        for mark in test.iter_markers("parametrize")
        for given in [*mark.args, *mark.kwargs.values()]
    )


def _holds_golden_query(value: Any, depth: int) -> bool:
    """Whether a golden query is among the arguments of ``pytest.mark.parametrize``: in the list of
    sets, in a set, or in the values of a ``pytest.param``, which is a tuple. What is nested deeper
    belongs to a value, and may contain itself.
    """
    if isinstance(value, list | tuple) and depth:
        return any(_holds_golden_query(item, depth - 1) for item in value)
    return isinstance(value, GoldenQuery)
