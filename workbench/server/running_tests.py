"""Which test sends a request: by a name in its base URL, and by what the pytest plugin reports.

A client whose base URL is ``http://HOST:PORT/as/NAME/v1`` names its requests. The proxy of
``workbench run --intercept`` names those of a connection, by a header of the first. The plugin
reports which test runs in the process of that name; requests without a name belong to the process
"".
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.core.log.lines import test_name
from workbench.io.network.ports import NAME_HEADER
from workbench.server.wire.connection import connection_of
from workbench.server.wire.incoming import credentials_of

# Any client may use any name; of more than that the oldest are forgotten.
MAX_NAMES: Final = 1000

_NAMED: Final = re.compile(rb"/as/([^/]+)(?=/|$)")
_NAME_HEADER: Final = NAME_HEADER.lower().encode("ascii")


class RunningTest:
    """A test that runs in a process, or the name in a base URL for which none was reported.

    Attributes:
        name: as lines of the log have it; "" for neither.
    """

    def __init__(self, name: str) -> None:
        self.name = test_name(name) if name else ""
        self._waiting = 0
        self._since = 0.0
        self._held_s = 0.0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A block in which one of its requests is held."""
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._held_s += time.monotonic() - self._since

    @property
    def held_s(self) -> float:
        """Seconds in which at least one of its requests was held."""
        return self._held_s + (time.monotonic() - self._since if self._waiting else 0.0)


class RunningTests:
    """The test that runs in each process, by the name that the process has in base URLs."""

    def __init__(self) -> None:
        self._tests: dict[str, RunningTest] = {}
        self._unnamed = RunningTest("")

    def set(self, name: str, test: str | None) -> None:
        """Report that ``test`` runs now in the process ``name``; None: no test does."""
        self._tests.pop(name, None)
        if test is not None:
            self._tests[name] = RunningTest(test)
            if len(self._tests) > MAX_NAMES:
                del self._tests[next(iter(self._tests))]

    def of(self, name: str, scope: Scope) -> RunningTest:
        """The test that sends a request; where none was reported for the name, one of the name
        without credentials.
        """
        test = self._tests.get(name)
        if test is not None or not name:
            return test or self._unnamed
        return RunningTest(credentials_of(scope).path_masked(name))


class NamedRequests:
    """ASGI middleware that takes the name out of the path, or from the connection, and sets
    ``request.state.test``.
    """

    def __init__(self, app: ASGIApp, running: RunningTests) -> None:
        self._app = app
        self._running = running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})
        if match := _NAMED.match(scope["raw_path"]):
            name = unquote(match[1].decode("ascii", "replace"))
            path = scope["raw_path"][match.end() :] or b"/"
            decoded = unquote(path.decode("ascii", "replace"))
            scope = {**scope, "raw_path": path, "path": decoded}
        else:
            name = _name_of_connection(scope)
        scope["state"]["test"] = self._running.of(name, scope)
        await self._app(scope, receive, send)


def _name_of_connection(scope: Scope) -> str:
    connection = connection_of(scope)
    if connection is None:
        return ""
    for header, value in scope["headers"]:
        if header == _NAME_HEADER:
            connection.name = unquote(value.decode("latin-1"))
    return connection.name
