"""Every public name of ``workbench.testing`` is documented, with all its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import workbench.testing
from tests.manual.python_api import Doc, public_members

# They take any arguments, which their docstrings describe together.
CALLED_BY_APPLICATIONS = ("AgentCall.__call__", "SyncAgentCall.__call__")


def documented() -> Iterator[tuple[str, Any]]:
    """The public classes, functions, methods and properties by name."""
    for name in workbench.testing.__all__:
        value = getattr(workbench.testing, name)
        yield name, value
        if isinstance(value, type):
            for member, inside in public_members(value):
                is_property = isinstance(inside, property)
                yield f"{name}.{member}", inside if is_property else getattr(value, member)


def arguments(function: Any) -> set[str]:
    return set(inspect.signature(function).parameters) - {"self"}


def test_each_public_name_has_a_docstring() -> None:
    assert [name for name, value in documented() if not Doc.of(value).text] == []


def test_each_argument_of_a_function_is_described() -> None:
    wrong = {}
    for name, value in documented():
        if inspect.isroutine(value) and name not in CALLED_BY_APPLICATIONS:
            entries = ", ".join(Doc.of(value).sections.get("Args", {}))
            described = set(entries.split(", ")) - {""}
            if described != arguments(value):
                wrong[name] = described ^ arguments(value)
    assert wrong == {}
