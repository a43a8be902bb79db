"""The plugin's marks, and which marks of a test belong to it.

``llm_eval`` and ``llm_requires_backend`` always do. The short names ``eval`` and
``requires_backend`` may belong to the project itself, so that they are the plugin's only with the
setting ``short_marks = true``, in a module that imports from ``workbench.testing``, and on a test
that a ``GoldenQuery`` parametrizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any, Final

import pytest

from workbench.testing.evals.golden import GoldenQuery

_EVAL: Final = "eval"
_REQUIRES_BACKEND: Final = "requires_backend"
_DESCRIPTIONS: Final[Mapping[str, str]] = {
    _EVAL: "(pass_rate=1.0): an eval; pass_rate is the share of its runs that must pass",
    _REQUIRES_BACKEND: "(env=[], url_env=None, reject=[], probe=None): skip the test if a "
    "variable in env is not set, or if the URL in url_env begins with a string in reject; "
    'probe="dns" or "tcp" also skips it if the host of the URL cannot be reached',
}


class BadMarkError(ValueError):
    """A mark of the plugin with invalid arguments."""


@dataclass(frozen=True, slots=True)
class PluginMarks:
    """The plugin's marks on a project's tests.

    Attributes:
        short: True if ``eval`` and ``requires_backend`` belong to the plugin on every test.
    """

    short: bool

    def register(self, config: pytest.Config) -> None:
        for name, description in _DESCRIPTIONS.items():
            config.addinivalue_line("markers", f"llm_{name}{description}")
            if self.short:
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
        is_ours = self.short or _imports_ours(test) or _asks_golden_query(test)
        return mark if is_ours else None


def require_arguments(mark: pytest.Mark, *names: str) -> None:
    """Raises BadMarkError if a mark has other arguments than these."""
    unknown = [*map(repr, mark.args), *sorted(set(mark.kwargs) - set(names))]
    if unknown:
        arguments = ", ".join(unknown)
        raise BadMarkError(f"{mark.name} does not take {arguments}; it takes {', '.join(names)}")


def pass_rate(mark: pytest.Mark) -> float:
    """The part of an eval's runs that must pass. Raises BadMarkError."""
    require_arguments(mark, "pass_rate")
    rate = mark.kwargs.get("pass_rate", 1.0)
    if not isinstance(rate, int | float) or not 0 <= rate <= 1:
        raise BadMarkError(f"{mark.name}: pass_rate must be from 0 to 1, got {rate!r}")
    return float(rate)


def _imports_ours(test: pytest.Item) -> bool:
    """True if the module of a test contains anything of ``workbench.testing``."""
    module = test.getparent(pytest.Module)
    return module is not None and any(map(_is_ours, vars(module.obj).values()))


def _is_ours(value: object) -> bool:
    if isinstance(value, ModuleType):
        home = value.__name__
    else:
        # Not of an instance, which may run any code on access.
        home = (value if isinstance(value, type | FunctionType) else type(value)).__module__
    return f"{home}.".startswith("workbench.testing.")


def _asks_golden_query(test: pytest.Item) -> bool:
    """True if ``pytest.mark.parametrize`` gives the test golden queries."""
    return any(
        _holds_golden_query(argument, depth=3)
        for mark in test.iter_markers("parametrize")
        for argument in [*mark.args, *mark.kwargs.values()]
    )


def _holds_golden_query(value: Any, depth: int) -> bool:
    """True if a golden query is among the arguments of ``pytest.mark.parametrize``: in the list of
    sets, in a set, or in the values of a ``pytest.param``, which is a tuple. Deeper values belong
    to a value, and may contain themselves.
    """
    if isinstance(value, list | tuple) and depth:
        return any(_holds_golden_query(item, depth - 1) for item in value)
    return isinstance(value, GoldenQuery)
