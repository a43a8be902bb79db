"""At which host of an API a request was sent, where ``workbench run --intercept`` answers it."""

from __future__ import annotations

from functools import lru_cache

from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.core.apis.hosts import Hosts
from workbench.server.wire.guard import host_name


class AskedHosts:
    """ASGI middleware that sets ``request.state.host``, the host of an API or "", and
    ``request.state.origin``, the beginning of its URL where it is not the own host of the API.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app = app
        self._hosts = hosts
        # Clients ask under few names, again and again.
        self._host_of = lru_cache(maxsize=100)(self._host_of_api)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = next((value for name, value in scope["headers"] if name == b"host"), b"")
        host = self._host_of(sent)
        scope["state"]["host"] = host
        scope["state"]["origin"] = self._hosts.beginning(host, scope["path"]) if host else ""
        await self._app(scope, receive, send)

    def _host_of_api(self, header: bytes) -> str:
        """The host that a header names, if it is one of the APIs, else ""."""
        name = host_name(header.decode("latin-1"))
        return name if self._hosts.has(name) else ""
