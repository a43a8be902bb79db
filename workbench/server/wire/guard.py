"""Access to the control API: programs on this machine may use it, web pages may not."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.core.answering.errors import RefusedError

PREFIX: Final = "/__workbench"

_HOST: Final = r"(\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\s\[\]:@/,]+?)\.?)(:[0-9]*)?"


def is_control_path(path: str) -> bool:
    return path.startswith(PREFIX + "/")


class Guard:
    """ASGI middleware that refuses web pages, whatever host name they were loaded from. The allowed
    hosts, in lower case, are further host names of the server.
    """

    def __init__(self, app: ASGIApp, allowed_hosts: Collection[str]) -> None:
        self._app = app
        self._allowed_hosts = frozenset(allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises RefusedError."""
        self._check(Request(scope))
        await self._app(scope, receive, send)

    def _check(self, request: Request) -> None:
        # Browsers load embedded resources without an Origin header. For an address that a person
        # types they send neither header, or "Sec-Fetch-Site: none".
        site = request.headers.get("sec-fetch-site", "none")
        if "origin" in request.headers or site != "none":
            header = "Origin" if "origin" in request.headers else "Sec-Fetch-Site"
            message = f"requests from web pages are blocked ({header} header)"
            raise RefusedError(403, "origin_not_allowed", message)
        server = request.scope.get("server") or ("", 0)
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(host_name(hosts[0]), server[0]):
            raise RefusedError(
                403,
                "host_not_allowed",
                f"requests to {', '.join(hosts)!a} are blocked (Host header); allow the name: "
                "workbench serve --allow-host NAME",
            )

    def _is_ours(self, name: str, bound: str) -> bool:
        if name in self._allowed_hosts or name in ("localhost", bound):
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False


def host_name(host: str) -> str:
    """The name in a ``Host`` header, without its port and in lower case; "" if there is none."""
    match = re.fullmatch(_HOST, host.strip().lower())
    return "" if match is None else match["address"] or match["name"]
