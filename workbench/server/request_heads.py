"""The heads of requests: the sender and the target of each.

A client whose base URL is ``http://HOST:PORT/as/NAME/v1`` names its requests. The proxy of
``workbench run --intercept`` names the requests of a connection, by a header of the first.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.core.apis.hosts import Hosts
from workbench.core.control_api import CLIENT_HEADER
from workbench.server.running_tests import RunningTests
from workbench.server.wire.connection import connection_of
from workbench.server.wire.guard import host_name
from workbench.server.wire.incoming import headers_of
from workbench.server.wire.request_state import STATE_KEY, RequestState

_NAMED: Final = re.compile(rb"/as/([^/]+)(?=/|$)")
_CLIENT_HEADER: Final = CLIENT_HEADER.lower()


class RequestHeads:
    """ASGI middleware that takes the name of a client out of the path, and makes the
    ``RequestState``.
    """

    def __init__(self, app: ASGIApp, running: RunningTests, hosts: Hosts) -> None:
        self._app = app
        self._running = running
        self._hosts = hosts
        # Clients use few names, again and again.
        self._host_of = lru_cache(maxsize=100)(self._host_of_api)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state, headers = scope.setdefault("state", {}), headers_of(scope)
        if match := _NAMED.match(scope["raw_path"]):
            scope, name = _without_name(scope, match)
        elif (connection := connection_of(scope)) is not None:
            if header := headers.get(_CLIENT_HEADER):
                connection.name = unquote(header)
            name = connection.name
        else:
            name = ""
        test = self._running.of(name, scope)
        if host := self._host_of(headers.get("host", "")):
            origin = self._hosts.beginning(host, scope["path"])
            state[STATE_KEY] = RequestState(headers, test, host, origin)
        else:
            state[STATE_KEY] = RequestState(headers, test)
        await self._app(scope, receive, send)

    def _host_of_api(self, header: str) -> str:
        """The host that a header names, if it is one of the APIs, else ""."""
        name = host_name(header)
        return name if self._hosts.has(name) else ""


def _without_name(scope: Scope, match: re.Match[bytes]) -> tuple[Scope, str]:
    """A request without the name in its path, and the name."""
    path = scope["raw_path"][match.end() :] or b"/"
    decoded = unquote(path.decode("ascii", "replace"))
    name = unquote(match[1].decode("ascii", "replace"))
    return {**scope, "raw_path": path, "path": decoded}, name
