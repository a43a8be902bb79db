"""At which host of an API a request was sent, where ``workbench run --intercept`` answers it."""

from __future__ import annotations

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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = next((value for name, value in scope["headers"] if name == b"host"), b"")
        host = host_name(sent.decode("latin-1"))
        is_of_api = self._hosts.has(host)
        scope["state"]["host"] = host if is_of_api else ""
        scope["state"]["origin"] = self._hosts.beginning(host, scope["path"]) if is_of_api else ""
        await self._app(scope, receive, send)
