"""Classes stay small, with one parent of ours at most, and modules import one another in one
direction.
"""

from __future__ import annotations

import graphlib
import inspect
from functools import cached_property

import grimp

import workbench
from tests.own_code import classes

MOST_METHODS = 59
OTHER_METHODS = (classmethod, staticmethod, property, cached_property)


def is_ours(kind: type) -> bool:
    return kind.__module__.split(".")[0] == workbench.__name__


def methods(kind: type) -> set[str]:
    """The names of a class's own and inherited methods and properties of ours."""
    return {
        name
        for base in kind.__mro__
        if is_ours(base)
        for name, value in vars(base).items()
        if inspect.isroutine(value) or isinstance(value, OTHER_METHODS)
    }


def test_no_object_has_too_many_methods() -> None:
    assert len(classes()) > 100
    large = {kind.__qualname__: len(methods(kind)) for kind in classes()}
    assert {name: count for name, count in large.items() if count > MOST_METHODS} == {}


def test_a_class_has_one_parent_of_ours() -> None:
    parents = {kind.__qualname__: list(filter(is_ours, kind.__bases__)) for kind in classes()}
    assert {name: found for name, found in parents.items() if len(found) > 1} == {}


def test_no_module_imports_one_that_imports_it() -> None:
    # Imports for types alone go both ways between a tab, which declares its commands, and what
    # these act on, which is loaded later.
    graph = grimp.build_graph(
        workbench.__name__, cache_dir=None, exclude_type_checking_imports=True
    )
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert len(imports) > 100
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle
