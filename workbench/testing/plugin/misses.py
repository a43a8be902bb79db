"""The misses of a test session: in a log for the workbench, and in the terminal summary."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.io.state_folder import StateFolder

if TYPE_CHECKING:
    from workbench.core.apis.unsupported import UnsupportedRequest
    from workbench.testing.mocks.fixtures import MissedCall

LOG_NAME: Final = "pytest.log"
# A log this long has more misses than anybody answers.
_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_SHOWN: Final = 20


class MissLog:
    """A log in the state folder, in the format of the stub server. Misses are appended at once, so
    that the workbench shows them while the tests run. Workers of pytest-xdist share the file.
    """

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self.path = state.path / LOG_NAME

    def begin(self) -> None:
        """Forget the misses of the session before."""
        with contextlib.suppress(OSError):
            self.path.unlink()

    def write(self, test: str, unanswered: MissedCall | UnsupportedRequest) -> None:
        """Append a request of a test. Does nothing if the log cannot be written: that must not fail
        the test.
        """
        from workbench.core.apis.unsupported import UnsupportedRequest
        from workbench.core.log.lines import asked_line, miss_lines, test_name, unsupported_line

        if isinstance(unanswered, UnsupportedRequest):
            lines, asked = unsupported_line(unanswered), str(unanswered)
        else:
            asked = unanswered.call.digest
            lines = miss_lines(asked, unanswered.call.payload)
        lines += asked_line(test_name(test), asked)
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
    """The misses for the terminal: each request once, with its test and the reason, then the
    command that opens their log. They are given by digest, or by method and path.
    """
    from workbench.core import shell
    from workbench.core.digest import is_digest, short

    for number, (request, seen) in enumerate(misses.items()):
        if number == _MOST_SHOWN:
            yield f"… and {len(misses) - number} more"
            break
        more = f" and {len(seen) - 1} more" if len(seen) > 1 else ""
        name = short(request) if is_digest(request) else request
        yield f"{name}  {seen[0]['test']}{more}"
        yield f"    {seen[0]['reason']}"
    if not log.is_file():
        yield f"{_relative(log, here)} cannot be written."
        return
    words = ["workbench", "--log", _relative(log, here), "--fixtures", _relative(fixtures, here)]
    what = "Answer them" if any(map(is_digest, misses)) else "See them"
    yield f"{what}: {shell.command(words)}"


def _relative(path: Path, here: Path) -> str:
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)
