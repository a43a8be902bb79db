"""Which test sends a request: by a name in its base URL, and by what the pytest plugin reports.

A client whose base URL is ``http://HOST:PORT/as/NAME/v1`` names its requests. The plugin reports
which test runs in the process of that name; requests without a name belong to the process "".
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.core.log.lines import test_name

# Any client may use any name; of more than that the oldest are forgotten.
MAX_NAMES: Final = 1000

_NAMED: Final = re.compile(rb"/as/([^/]+)(?=/|$)")


class RunningTests:
    """The test that runs in each process, by the name that the process has in base URLs."""

    def __init__(self) -> None:
        self._tests: dict[str, str] = {}

    def set(self, name: str, test: str | None) -> None:
        """Report that ``test`` runs now in the process ``name``; None: no test does."""
        self._tests.pop(name, None)
        if test is not None:
            self._tests[name] = test_name(test)
            if len(self._tests) > MAX_NAMES:
                del self._tests[next(iter(self._tests))]

    def test_of(self, name: str) -> str:
        """The test that sends a request; the name itself where no test was reported for it."""
        return self._tests.get(name) or (test_name(name) if name else "")


class NamedBaseURLs:
    """ASGI middleware that takes the name out of the path, and sets ``request.state.test``."""

    def __init__(self, app: ASGIApp, running: RunningTests) -> None:
        self._app = app
        self._running = running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = ""
        if found := _NAMED.match(scope["raw_path"]):
            name = unquote(found[1].decode("ascii", "replace"))
            path = scope["raw_path"][found.end() :] or b"/"
            decoded = unquote(path.decode("ascii", "replace"))
            scope = {**scope, "raw_path": path, "path": decoded}
        scope.setdefault("state", {})["test"] = self._running.test_of(name)
        await self._app(scope, receive, send)
