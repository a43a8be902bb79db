"""``workbench-ignore.txt``: requests that need no fixture, because the fallback is intended or
because they are unsupported and harmless.

One per line, followed by a reason: a digest, or method and path (``POST /v1/moderations``). ``#``
starts a comment. The file is committed with the fixtures.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from workbench.core.digest import is_digest
from workbench.io.atomic import write_atomic
from workbench.io.regular import read_regular
from workbench.io.store import refuse_stray_link

FILE_NAME = "workbench-ignore.txt"
_HEADER = "# Requests whose fallback is wanted: a digest a line, then the reason.\n"
_METHOD: Final = re.compile(r"[A-Z]{1,20}")


class IgnoreList:
    """The list of one fixtures folder.

    Attributes:
        reasons: by digest, or by method and path.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.reasons: dict[str, str] = {}

    def load(self) -> None:
        """Read the file; other lines are ignored. Raises OSError."""
        try:
            text = read_regular(self.path).decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError):
            text = ""
        self.reasons = {}
        for line in text.split("\n"):
            key, reason = _entry(line)
            if key:
                self.reasons[key] = reason

    def add(self, key: str, reason: str) -> None:
        """Add a line, or change its reason. Raises OSError."""
        line = f"{key} {' '.join(reason.split())}".rstrip() + "\n"
        self._write(self._other_lines(key) or [_HEADER], line)

    def remove(self, key: str) -> None:
        """Remove a line; delete the file if nothing else is in it. Raises OSError."""
        others = self._other_lines(key)
        if others in ([], [_HEADER]):
            self.path.unlink(missing_ok=True)
            self.load()
        else:
            self._write(others, "")

    def _other_lines(self, key: str) -> list[str]:
        try:
            text = read_regular(self.path).decode("utf-8", "surrogateescape")
        except (FileNotFoundError, NotADirectoryError):
            return []
        lines = [line + "\n" for line in text.removesuffix("\n").split("\n")] if text else []
        return [line for line in lines if _entry(line)[0] != key]

    def _write(self, lines: list[str], more: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        refuse_stray_link(self.path)
        write_atomic(self.path, ("".join(lines) + more).encode("utf-8", "surrogateescape"))
        self.load()


def _entry(line: str) -> tuple[str, str]:
    """The request and the reason in a line; "" if there is none."""
    words = line.split(maxsplit=2)
    if words and is_digest(words[0]):
        return words[0], line.partition(words[0])[2].strip()
    if len(words) > 1 and _METHOD.fullmatch(words[0]) and words[1].startswith("/"):
        return f"{words[0]} {words[1]}", "".join(words[2:]).rstrip()
    return "", ""
