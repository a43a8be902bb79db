"""The code of the package, read once for all tests that look at the whole of it."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from functools import cache
from pathlib import Path

import workbench

PACKAGE = Path(workbench.__file__).parent


@cache
def nodes() -> dict[str, list[ast.AST]]:
    """The syntax of each module, by its path from the package's folder."""
    return {
        path.relative_to(PACKAGE).as_posix(): [*ast.walk(ast.parse(path.read_text("utf-8")))]
        for path in sorted(PACKAGE.rglob("*.py"))
    }


@cache
def classes() -> list[type]:
    """All classes of the package."""
    found = []
    for info in pkgutil.walk_packages(workbench.__path__, f"{workbench.__name__}."):
        if not info.name.endswith(".__main__"):
            module = importlib.import_module(info.name)
            kinds = (value for value in vars(module).values() if isinstance(value, type))
            found += [kind for kind in kinds if kind.__module__ == module.__name__]
    return found
