"""The misses and unsupported requests of a test session, written where the workbench reads them."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

from workbench.io.state_folder import StateFolder

if TYPE_CHECKING:
    from workbench.core.apis.unsupported import UnsupportedRequest
    from workbench.testing.mocks.unanswered import Miss

LOG_NAME: Final = "pytest.log"
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
        from workbench.core.log.lines import miss_lines

        self._append(miss_lines(miss.call.digest, miss.call.payload))

    def write_unsupported(self, request: UnsupportedRequest) -> None:
        from workbench.core.log.lines import unsupported_line

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
