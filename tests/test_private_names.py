"""The package uses the documented names of its libraries alone: no private one is read, imported or
overridden.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from functools import cache

from tests.own_code import classes, nodes

OWN = "workbench"
# Of the standard library, and documented there.
DOCUMENTED = {"_asdict", "_exit", "_fields", "_replace"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in DOCUMENTED


def defined(code: Iterable[ast.AST]) -> Iterator[str]:
    """Every name that code defines: functions, classes, variables, attributes, parameters."""
    for node in code:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.Assign(targets=[ast.Name(id="__slots__")], value=ast.Tuple(elts=names)):
                yield from (str(name.value) for name in names if isinstance(name, ast.Constant))


def private_uses(code: Iterable[ast.AST], own: set[str]) -> Iterator[tuple[int, str]]:
    """Lines and names of what belongs to somebody else and is private."""
    for node in code:
        match node:
            case ast.ImportFrom(module=str(module), names=names) if not module.startswith(OWN):
                for name in (*module.split("."), *(alias.name for alias in names)):
                    if is_private(name):
                        yield node.lineno, f"{module}: {name}"
            case ast.Import(names=names):
                for alias in names:
                    if any(map(is_private, alias.name.split("."))):
                        yield node.lineno, alias.name
            case ast.Attribute(attr=name) if is_private(name) and name not in own:
                yield node.lineno, f".{name}"


def test_no_private_name_of_a_library_is_used() -> None:
    own = {name for code in nodes().values() for name in defined(code)}
    found = [
        f"{path}:{line} {name}"
        for path, code in nodes().items()
        for line, name in private_uses(code, own)
    ]
    assert found == []


def test_no_private_name_of_a_library_is_overridden() -> None:
    """By accident neither: Textual's widgets have a ``_size`` of their own."""
    found = []
    for kind in classes():
        for base in kind.__mro__[1:]:
            if base.__module__.split(".")[0] not in (OWN, *sys.stdlib_module_names):
                taken = private_members(kind) & private_members(base)
                found += [f"{kind.__module__} {kind.__name__}.{n} ({base.__name__})" for n in taken]
    assert found == []


@cache
def definitions(module: str) -> dict[str, ast.ClassDef]:
    """The classes of a module by their qualified names; none if it is not in Python."""
    try:
        source = inspect.getsource(importlib.import_module(module))
    except (OSError, TypeError):
        return {}
    return dict(classes_in(ast.parse(source)))


def classes_in(node: ast.AST, outer: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield outer + child.name, child
            yield from classes_in(child, f"{outer}{child.name}.")


@cache
def private_members(kind: type) -> set[str]:
    """What a class defines in its body and sets on ``self``."""
    definition = definitions(kind.__module__).get(kind.__qualname__)
    if definition is None:
        return set()
    names = set()
    for node in ast.walk(definition):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                names.add(name)
    for node in definition.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return set(filter(is_private, names))
