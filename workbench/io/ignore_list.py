"""``workbench-ignore.txt``: the requests of a fixtures folder whose fallback is wanted.

One digest a line with its reason behind it; ``#`` begins a comment. Committed with the fixtures.
"""

from __future__ import annotations

from pathlib import Path

from workbench.core.digest import is_digest
from workbench.io.atomic import write_atomic
from workbench.io.links import refuse_stray_link
from workbench.io.regular import read_regular

FILE_NAME = "workbench-ignore.txt"
_HEADER = "# Requests whose fallback is wanted: a digest a line, then the reason.\n"


class IgnoreList:
    """The list of one fixtures folder, read again when it is asked to."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.reasons: dict[str, str] = {}

    def load(self) -> None:
        """Read the file. Lines that begin with no digest are left alone. Raises OSError."""
        try:
            text = read_regular(self.path).decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError):
            text = ""
        self.reasons = {}
        for line in text.split("\n"):
            digest, *reason = line.split(maxsplit=1) or [""]
            if is_digest(digest):
                self.reasons[digest] = "".join(reason).rstrip()

    def add(self, digest: str, reason: str) -> None:
        """Add a line, or change the reason of the one that is there. Raises OSError."""
        line = f"{digest} {' '.join(reason.split())}".rstrip() + "\n"
        self._write(self._other_lines(digest) or [_HEADER], line)

    def remove(self, digest: str) -> None:
        """Take the digest's line out, and with the last one a file of ours. Raises OSError."""
        others = self._other_lines(digest)
        if others in ([], [_HEADER]):
            self.path.unlink(missing_ok=True)
            self.load()
        else:
            self._write(others, "")

    def _other_lines(self, digest: str) -> list[str]:
        try:
            text = read_regular(self.path).decode("utf-8", "surrogateescape")
        except (FileNotFoundError, NotADirectoryError):
            return []
        lines = [line + "\n" for line in text.removesuffix("\n").split("\n")] if text else []
        return [line for line in lines if line.split()[:1] != [digest]]

    def _write(self, lines: list[str], more: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        refuse_stray_link(self.path)
        write_atomic(self.path, ("".join(lines) + more).encode("utf-8", "surrogateescape"))
        self.load()
