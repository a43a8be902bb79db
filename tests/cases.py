"""Tests of tables, whose cases are so cheap that a test for each costs more than what it proves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

Test = Callable[..., None]


def each_case(names: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test with each case in turn, like ``pytest.mark.parametrize``, but as one test. The
    case that fails is named below its traceback.

    The fixtures of the test are those of all its cases.
    """
    arguments = [name.strip() for name in names.split(",")]
    table = list(cases)

    def decorated(test: Test) -> Test:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            assert table, "there is no case"
            for case in table:
                values = [case] if len(arguments) == 1 else case
                try:
                    test(**dict(zip(arguments, values, strict=True)), **fixtures)
                except BaseException as error:
                    error.add_note(f"in the case {names} = {case!r:.1000}")
                    raise

        signature = inspect.signature(test)
        others = [p for name, p in signature.parameters.items() if name not in arguments]
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorated
