"""The proxies that an environment names, which cannot reach a server on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_HOSTS: Final = ("127.0.0.1", "localhost")
_EVERY_HOST: Final = "*"  # alone; in a list it is no sign


def has_proxies(environment: Mapping[str, str]) -> bool:
    """Whether clients with this environment ask a proxy for ``http://`` URLs."""
    names = ("http_proxy", "all_proxy")
    return any(value and name.lower() in names for name, value in environment.items())


def past_proxies(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that keep clients from asking a proxy for this machine, with the hosts that
    ``environment`` excepts already. Programs read either; a client in Python reads only the second
    if it is there.
    """
    upper, lower = environment.get("NO_PROXY", ""), environment.get("no_proxy", "")
    return {"NO_PROXY": _with_hosts(upper or lower), "no_proxy": _with_hosts(lower or upper)}


def _with_hosts(excepted: str) -> str:
    hosts = [host.strip() for host in excepted.split(",") if host.strip()]
    if hosts == [_EVERY_HOST]:
        return _EVERY_HOST
    return ",".join(dict.fromkeys([*hosts, *_HOSTS]))
