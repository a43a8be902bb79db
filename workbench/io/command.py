"""A command that is run with its clients pointed at our server, as a process group of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Final

from workbench.core.apis.table import APIS

# A key where none is set: clients refuse to start without one.
PLACEHOLDER_KEY: Final = "workbench"
# What is asked to end has so long to do it.
STOP_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.02


def client_environment(url: str, given: Mapping[str, str]) -> dict[str, str]:
    """``given`` with the clients of all APIs pointed at the server at ``url``, past any proxy."""
    ours = {"WORKBENCH_URL": url, "OPENAI_API_BASE": f"{url}/v1"}
    keys = {}
    for api in APIS:
        ours[api.CLIENT.base_variable] = url + api.CLIENT.base_path
        keys[api.CLIENT.key_variable] = PLACEHOLDER_KEY
    for name in ("NO_PROXY", "no_proxy"):
        ours[name] = ",".join(filter(None, [given.get(name), "127.0.0.1", "localhost"]))
    return {**keys, **given, **ours}


class Command:
    """A process that leads a session of its own, so that everything it starts can be ended with it.

    Args:
        words: the program and its arguments.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(words, env=environment, start_new_session=True)

    def send(self, number: int) -> None:
        """Send a signal to it and to everything in its process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def wait(self) -> int:
        """Wait for its end; returns its exit code as a shell does: 128 and the number of the signal
        that ended it.
        """
        code = self._process.wait()
        return 128 - code if code < 0 else code

    def end_group(self) -> None:
        """End what it left behind: terminate, then kill."""
        self.send(signal.SIGTERM)
        end = time.monotonic() + STOP_SECONDS
        while self._has_group() and time.monotonic() < end:
            time.sleep(_LOOK_SECONDS)
        self.send(signal.SIGKILL)

    def _has_group(self) -> bool:
        try:
            os.killpg(self._process.pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True
