"""The misses of a test session: written where the workbench reads them, and told at its end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.core import shell
from workbench.core.digest import is_digest, short
from workbench.core.log_lines import miss_lines, unsupported_line
from workbench.io.state_folder import StateFolder

if TYPE_CHECKING:
    from workbench.core.unsupported import UnsupportedRequest
    from workbench.testing.engine import Miss

LOG_NAME: Final = "pytest.log"
_MOST_SHOWN: Final = 20
# A log this long has more misses than anybody answers.
_MOST_BYTES: Final = 64 * 1024 * 1024


class MissLog:
    """A log in the state folder, of the form that the stub server writes. Each miss is appended at
    once, so that the workbench shows it while the tests run; workers append to the same file.
    """

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self.path = state.path / LOG_NAME

    def begin(self) -> None:
        """Forget the misses of the session before."""
        with contextlib.suppress(OSError):
            self.path.unlink()

    def write(self, miss: Miss) -> None:
        self._append(miss_lines(miss.call.digest, miss.call.payload))

    def write_unsupported(self, request: UnsupportedRequest) -> None:
        self._append(unsupported_line(request))

    def _append(self, lines: str) -> None:
        """A log that cannot be written costs no test its result."""
        with contextlib.suppress(OSError):
            self._state.ensure()
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                if os.fstat(file).st_size < _MOST_BYTES:
                    os.write(file, lines.encode("utf-8", "backslashreplace"))
            finally:
                os.close(file)


def summary(
    misses: Mapping[str, list[dict[str, Any]]], log: Path, fixtures: Path, here: Path
) -> Iterable[str]:
    """The misses for the terminal: each digest once, with what came nearest; and each path that is
    not spoken here, with what to switch to.

    Args:
        misses: by digest, or method and path: ``{"test", "reason"}`` of each.
    """
    for number, (request, seen) in enumerate(misses.items()):
        if number == _MOST_SHOWN:
            yield f"… and {len(misses) - number} more"
            break
        more = f" and {len(seen) - 1} more" if len(seen) > 1 else ""
        name = short(request) if is_digest(request) else request
        yield f"{name}  {seen[0]['test']}{more}"
        yield f"    {seen[0]['reason']}"
    words = ["workbench", "--log", _shown(log, here), "--fixtures", _shown(fixtures, here)]
    what = "Answer them" if any(map(is_digest, misses)) else "See them"
    yield f"{what}: {shell.command(words)}"


def _shown(path: Path, here: Path) -> str:
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)
