"""Listening sockets. ``socket`` is imported on first use, because help texts only need the default
port.
"""

from __future__ import annotations

import contextlib
import errno
import ipaddress
from typing import TYPE_CHECKING, Final

from workbench.core.user_error import UserError

if TYPE_CHECKING:
    import socket

DEFAULT_PORT = 7899
_BACKLOG = 2048
_NEXT_PORTS = 100
PORTS: Final = {"http": 80, "https": 443}
"""The usual port of each scheme."""


class PortTakenError(UserError):
    """Another program listens on this port."""


def listen(
    host: str, port: int | None, *, default: int = DEFAULT_PORT
) -> tuple[socket.socket, bool]:
    """A socket that listens on ``host``, and True if the default port was taken.

    Args:
        port: exactly this one (0: any free one); None: ``default``, else the next free one.

    Raises:
        PortTakenError: ``port`` was given and is in use.
        OSError: the address does not exist, or there is no permission for the port.
    """
    family = _family(host)
    if port is not None:
        return _bind(family, host, port), False
    for near in range(default, min(default + _NEXT_PORTS, 65536)):
        with contextlib.suppress(PortTakenError):
            return _bind(family, host, near), near != default
    return _bind(family, host, 0), True


def base_url(listener: socket.socket) -> str:
    """The URL at which a client on this machine reaches the socket."""
    host, port = listener.getsockname()[:2]
    with contextlib.suppress(ValueError):
        ip = ipaddress.ip_address(host)
        if ip.is_unspecified:
            host = "127.0.0.1" if ip.version == 4 else "::1"
    return f"http://{address(host, port)}"


def address(host: str, port: int) -> str:
    """``host:port`` as in URLs."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def short_address(host: str, port: int) -> str:
    """``host:port``, or only ``host`` where the port is a usual one."""
    return host if port in PORTS.values() else address(host, port)


def _family(host: str) -> socket.AddressFamily:
    """The address family to listen on. For a name with both it is IPv4, since clients expect
    localhost to be 127.0.0.1.
    """
    import socket

    with contextlib.suppress(ValueError):
        is_ipv4 = ipaddress.ip_address(host).version == 4
        return socket.AF_INET if is_ipv4 else socket.AF_INET6
    kind, flags = socket.SOCK_STREAM, socket.AI_PASSIVE
    try:
        addresses = socket.getaddrinfo(host or None, 0, type=kind, flags=flags)
    except UnicodeError:
        raise OSError(errno.EINVAL, "not a host name", host) from None
    families = {info[0] for info in addresses}
    return socket.AF_INET if socket.AF_INET in families else socket.AF_INET6


def _bind(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    import socket

    try:
        # Reuses an address in TIME_WAIT, never one that is listened on.
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTakenError(f"{address(host, port)} is in use") from None
        raise
    # Its connections inherit this. asyncio sets it only for listening sockets of its own, and
    # without it each reply waits 40 ms for the client to acknowledge its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
