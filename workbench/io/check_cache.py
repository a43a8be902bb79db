"""A cache of the findings in a fixtures folder, so that only changed files are checked again.

One file for each folder, ``.workbench/cache/check-<folder>.json``: a line with the checksum of the
rest, then JSON. A damaged file, or one written by other rules, is ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Set
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any, Final

from workbench import core
from workbench.core.fixtures.findings import Finding, Fix, Severity
from workbench.core.fixtures.rules import Examined, FixtureOutline
from workbench.core.json.spans import Edit
from workbench.io.atomic import remove_leftovers, write_atomic
from workbench.io.state_folder import StateFolder
from workbench.io.store import FileStamp

_MOST_BYTES: Final = 64 << 20
_MOST_FOLDERS: Final = 16
# This finding depends on how busy the machine was.
_NOT_KEPT: Final = "schema-unchecked"
_LIBRARIES: Final = ("jsonschema", "referencing", "regex")


class CheckCache:
    """The findings in the files of one folder.

    Args:
        folder: the fixtures folder.
    """

    def __init__(self, state: StateFolder, folder: Path) -> None:
        self._state = state
        self._folder = os.path.realpath(folder)
        name = hashlib.blake2b(os.fsencode(self._folder), digest_size=8).hexdigest()
        self.path = state.cache / f"check-{name}.json"
        self._entries = self._load()
        self._has_changed = False

    def _load(self) -> dict[str, Any]:
        try:
            data = self.path.read_bytes()
            total, _, body = data.partition(b"\n")
            if total != _sum(body):
                return {}
            version, folder, entries = json.loads(body)
        except (OSError, ValueError, RecursionError):
            return {}
        is_ours = version == _rules_version() and folder == self._folder
        return entries if is_ours else {}

    def get(self, name: str, status: os.stat_result) -> Examined | None:
        """The result for the file in this state, if it is known."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        stamp, (request, masked, form, answer, allowed), findings = entry
        if FileStamp(*stamp) != FileStamp.of(status):
            return None
        outline = FixtureOutline(request, masked, form, answer, frozenset(allowed))
        return Examined([_finding(*values) for values in findings], outline)

    def put(self, name: str, status: os.stat_result, examined: Examined, *, read_ns: int) -> None:
        """Keep the result for a file that was read in this state.

        Args:
            read_ns: the time before it was read, from ``time.time_ns``.
        """
        is_certain = all(finding.rule != _NOT_KEPT for finding in examined.findings)
        stamp, outline = FileStamp.of(status), examined.outline
        if not is_certain or not stamp.is_settled(read_ns):
            return
        self._entries[name] = [
            astuple(stamp),
            [*outline[:4], sorted(outline.allowed)],
            [astuple(finding) for finding in examined.findings],
        ]
        self._has_changed = True

    def save(self, names: Set[str]) -> None:
        """Write the cache if it changed, for the files ``names`` only. Errors are ignored."""
        gone = self._entries.keys() - names
        if not self._has_changed and not gone:
            return
        kept = {name: entry for name, entry in self._entries.items() if name not in gone}
        with contextlib.suppress(OSError):
            content = [_rules_version(), self._folder, kept]
            body = json.dumps(content, separators=(",", ":")).encode("ascii")
            if len(body) < _MOST_BYTES:
                self._state.ensure()
                self._state.cache.mkdir(exist_ok=True)
                remove_leftovers(self._state.cache)
                write_atomic(self.path, _sum(body) + b"\n" + body)
                self._remove_old()

    def _remove_old(self) -> None:
        """Keep the caches of the folders checked last."""
        files = sorted(self._state.cache.glob("check-*.json"), key=os.path.getmtime)
        for file in files[:-_MOST_FOLDERS]:
            file.unlink(missing_ok=True)


def _sum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode("ascii")


def _finding(
    rule: str,
    severity: Severity,
    message: str,
    path: list[str | int],
    inner: list[str | int] | None,
    inner_offset: int | None,
    line: int,
    column: int,
    fix: tuple[str, list[tuple[int, int, str]]] | None,
) -> Finding:
    """The finding of ``astuple``, as JSON has it."""
    made = Fix(fix[0], tuple(Edit(*values) for values in fix[1])) if fix else None
    within = None if inner is None else tuple(inner)
    place = tuple(path), within, inner_offset, line, column
    return Finding(rule, severity, message, *place, made)


@cache
def _rules_version() -> str:
    """Identifies the version of the rules: by their source files and those of the libraries they
    use.
    """
    told = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for file in _sources():
        status = os.stat(file)
        told.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode())
    return told.hexdigest()


def _sources() -> list[str]:
    own = [
        os.path.join(folder, name)
        for root in core.__path__
        for folder, _, names in os.walk(root)
        for name in names
        if name.endswith(".py")
    ]
    specs = map(importlib.util.find_spec, _LIBRARIES)
    return sorted(own) + [spec.origin for spec in specs if spec is not None and spec.origin]
