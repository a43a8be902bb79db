"""Files that hold captured exchanges, read as JSON, YAML or TOML."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from workbench.cli import UsageError
from workbench.cli.common import read_input

_JSON_STARTS = (b"{", b"[", b"\xef\xbb\xbf{")


def read_value(name: str) -> Any:
    """What a file holds: TOML by its name, JSON if it begins so, else YAML. Raises UsageError."""
    data = read_input(name)
    if not data.strip():
        raise UsageError(f"{name}: it is empty")
    try:
        if name.endswith(".toml"):
            return tomllib.loads(data.decode("utf-8"))
        if data.lstrip().startswith(_JSON_STARTS):
            return json.loads(data.decode("utf-8-sig"))
        return _yaml(data)
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{name}: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except RecursionError:
        raise UsageError(f"{name}: it is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def _yaml(data: bytes) -> Any:
    """Plain values alone: a file that asks for objects of Python is refused."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(data, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ValueError(f"{where}it is neither JSON nor YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"it is neither JSON nor YAML: {' '.join(str(error).split())}") from None
