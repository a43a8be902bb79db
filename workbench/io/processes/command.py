"""A command that is run with its clients pointed at our server, as a session of its own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from typing import Final

from workbench.core.apis.table import APIS
from workbench.io.processes import descendants

# A key where none is set: clients refuse to start without one.
PLACEHOLDER_KEY: Final = "workbench"
# How long a process has to end after it was asked to.
STOP_SECONDS: Final = 5.0


def client_environment(url: str, given: Mapping[str, str]) -> dict[str, str]:
    """``given`` with the clients of all APIs pointed at the server at ``url``, past any proxy."""
    ours = {"WORKBENCH_URL": url, **base_urls(url)}
    keys = {api.CLIENT.key_variable: PLACEHOLDER_KEY for api in APIS}
    for name in ("NO_PROXY", "no_proxy"):
        ours[name] = ",".join(filter(None, [given.get(name), "127.0.0.1", "localhost"]))
    return {**keys, **given, **ours}


def base_urls(url: str) -> dict[str, str]:
    """The variables with the base URLs of all clients, for the server at ``url``."""
    urls = {api.CLIENT.base_variable: url + api.CLIENT.base_path for api in APIS}
    return {"OPENAI_API_BASE": f"{url}/v1", **urls}


class Command:
    """A process that leads a session of its own. Everything it starts can be ended with it.

    Args:
        output: the file descriptor it writes to, for standard output and errors. Its standard
            input is empty then. Default: those of this process.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], output: int | None = None
    ) -> None:
        self._mark = uuid.uuid4().hex
        self._process = subprocess.Popen(
            words,
            env={**environment, descendants.MARK: self._mark},
            start_new_session=True,
            stdin=None if output is None else subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )

    def send(self, number: int) -> None:
        """Send a signal to it and to everything in its process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    @property
    def exit_code(self) -> int | None:
        """None while it runs; else as a shell has it: 128 and the number of the signal that ended
        it.
        """
        code = self._process.poll()
        return 128 - code if code is not None and code < 0 else code

    def wait(self) -> int:
        """Wait for its end; returns its exit code."""
        self._process.wait()
        assert self.exit_code is not None
        return self.exit_code

    def send_all(self, number: int) -> None:
        """Send a signal to it and to everything it started."""
        descendants.send(self._process.pid, self._mark, number)

    def end_all(self) -> None:
        """End it and everything it started: terminate, and kill after ``STOP_SECONDS``."""
        descendants.end(self._process.pid, self._mark, STOP_SECONDS)
        self._process.poll()  # it may be the last to know
