"""Refuse connections to other machines under ``workbench run --offline``."""

from __future__ import annotations

import ipaddress
from collections import Counter
from contextlib import suppress
from pathlib import Path
from socket import AF_INET, AF_INET6, SOCK_DGRAM, gethostname, socket


def refusal(place: str) -> str:
    """The message for a client that connects to another machine."""
    return f"workbench run --offline refuses connections to {place}"


def is_this_machine(host: str) -> bool:
    """True if a connection to a host stays on this machine. No name is looked up."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        name = host.lower().removesuffix(".")
        own = ("", "localhost", gethostname().lower())
        return name in own or name.endswith(".localhost")
    # Nothing but an address of the machine can be listened on.
    return ip.is_loopback or (not ip.is_multicast and _can_be_bound(host, ip.version))


def _can_be_bound(ip: str, version: int) -> bool:
    try:
        with socket(AF_INET if version == 4 else AF_INET6, SOCK_DGRAM) as probe:
            probe.bind((ip, 0))
    except OSError:
        return False
    return True


def add_refused(file: str, place: str) -> None:
    """Add a place to the file of those that programs of the suite refuse by themselves."""
    with suppress(OSError), open(file, "a", encoding="utf-8") as refused:
        refused.write(f"{place}\n")


def read_refused(file: Path) -> Counter[str]:
    """The places in such a file, and how often each was refused. Raises OSError."""
    with open(file, encoding="utf-8", errors="replace") as refused:
        return Counter(line.rstrip("\n") for line in refused)
