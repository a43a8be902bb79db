"""The state of a request: its headers, who sends it, and where it was sent, as its head says.

A client whose base URL is ``http://HOST:PORT/as/NAME/v1`` names its requests. The proxy of
``workbench run --intercept`` names those of a connection, by a header of the first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.core.apis.hosts import Hosts
from workbench.core.control_api import NAME_HEADER
from workbench.server.running_tests import RunningTests
from workbench.server.wire.connection import connection_of
from workbench.server.wire.guard import host_name
from workbench.server.wire.incoming import headers_of

_NAMED: Final = re.compile(rb"/as/([^/]+)(?=/|$)")
_NAME_HEADER: Final = NAME_HEADER.lower()


class RequestState:
    """ASGI middleware that takes the name of a client out of the path, and sets of
    ``request.state``:

    - ``headers``, by their names in lower case
    - ``test``, the ``RunningTest`` that sends the request
    - ``host``, the host of an API that was asked, where ``workbench run --intercept`` answers for
      it, or ""
    - ``origin``, the beginning of the URL where that is not the own host of the API, or ""
    """

    def __init__(self, app: ASGIApp, running: RunningTests, hosts: Hosts) -> None:
        self._app = app
        self._running = running
        self._hosts = hosts
        # Clients ask under few names, again and again.
        self._host_of = lru_cache(maxsize=100)(self._host_of_api)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = scope.setdefault("state", {})
        state["headers"] = headers = headers_of(scope)
        if match := _NAMED.match(scope["raw_path"]):
            name = unquote(match[1].decode("ascii", "replace"))
            path = scope["raw_path"][match.end() :] or b"/"
            decoded = unquote(path.decode("ascii", "replace"))
            scope = {**scope, "raw_path": path, "path": decoded}
        else:
            name = _name_of_connection(scope, headers)
        state["test"] = self._running.of(name, scope)
        state["host"] = host = self._host_of(headers.get("host", ""))
        state["origin"] = self._hosts.beginning(host, scope["path"]) if host else ""
        await self._app(scope, receive, send)

    def _host_of_api(self, header: str) -> str:
        """The host that a header names, if it is one of the APIs, else ""."""
        name = host_name(header)
        return name if self._hosts.has(name) else ""


def _name_of_connection(scope: Scope, headers: Mapping[str, str]) -> str:
    """The name that a connection has, or gets with this request; "" for none."""
    connection = connection_of(scope)
    if connection is None:
        return ""
    if name := headers.get(_NAME_HEADER):
        connection.name = unquote(name)
    return connection.name
