"""Refuse connections of tests to other machines under ``workbench run --offline``, even if a client
uses no proxy. Only loaded with this option.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from functools import cache
from typing import Any, Final

from workbench.io.network.offline import add_refused, is_this_machine, refusal
from workbench.io.network.ports import short_address

_LOOKUPS: Final = frozenset(("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"))
_CONNECTIONS: Final = frozenset(("socket.connect", "socket.sendto", "socket.sendmsg"))
_EVENTS: Final = _LOOKUPS | _CONNECTIONS
_FAMILIES: Final = (socket.AF_INET, socket.AF_INET6)


@cache  # once: a hook stays until the process ends
def refuse_other_machines(file: str) -> None:
    """Refuse to connect with other machines, to send to them, and to look up their names.

    Args:
        file: gets the places that are refused.
    """

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _EVENTS:  # a suite has a million others
            return
        place = _other_machine(event, arguments)
        if place is None:
            return
        add_refused(file, place)
        if event in _LOOKUPS:
            raise socket.gaierror(socket.EAI_FAIL, refusal(place))
        raise ConnectionRefusedError(errno.ECONNREFUSED, refusal(place))

    sys.addaudithook(hook)


def _other_machine(event: str, arguments: tuple[Any, ...]) -> str | None:
    """The place that an event is about; None on this machine."""
    if event in _LOOKUPS:
        name, *more = arguments
        host, port = _text(name), more[0] if more else None
        if _is_address(host):  # no name to look up; connecting is an event of its own
            return None
    else:
        connection, address = arguments
        if address is None or connection.family not in _FAMILIES:
            return None
        host, port = _text(address[0]), address[1]
    if is_this_machine(host):
        return None
    return short_address(host, port) if isinstance(port, int) else host


def _text(host: str | bytes | None) -> str:
    return host.decode("latin-1") if isinstance(host, bytes | bytearray) else host or ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
