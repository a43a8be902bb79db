"""The hosts of the APIs, which ``workbench run --intercept`` answers for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from workbench.core.apis.paths import api_at
from workbench.core.apis.table import APIS

# The meaning of ``*``.
_PART: Final = "[a-z0-9-]*"
# Of a name that an entry of NO_PROXY may except.
_ANY_PART: Final = "x"


class Hosts:
    """The hosts of the APIs.

    Args:
        more: further hosts; ``*`` matches a part of a name that has no dot.

    Attributes:
        pattern: a regular expression, valid in JavaScript as well, for a whole name in lower case.
    """

    def __init__(self, more: Iterable[str] = ()) -> None:
        of_apis = (host for api in APIS for host in api.client.hosts)
        self._names = tuple(dict.fromkeys([*of_apis, *(host.lower() for host in more)]))
        self.pattern = f"^(?:{'|'.join(map(_pattern, self._names))})$"
        self._compiled = re.compile(self.pattern, re.ASCII)

    def has(self, name: str) -> bool:
        """True if a host is one of these hosts."""
        return self._compiled.fullmatch(name.lower().removesuffix(".")) is not None

    def excepted_by(self, no_proxy: str) -> list[str]:
        """The hosts that clients reach without a proxy if NO_PROXY has this value."""
        entries = [entry.strip().lower().lstrip("*.") for entry in no_proxy.split(",")]
        is_every_host = no_proxy.strip() == "*"
        return [
            name
            for name in self._names
            if is_every_host or any(_is_under(name, entry) for entry in entries)
        ]

    def beginning(self, name: str, path: str) -> str:
        """The beginning of the URL for one of these hosts, ``https://api.groq.com``; "" for the
        default host of the API which has ``path``, and for unknown hosts.
        """
        name = name.lower().removesuffix(".")
        own = api_at(path).client.hosts[:1]
        is_own = any(re.fullmatch(_pattern(host), name) for host in own)
        return f"https://{name}" if self.has(name) and not is_own else ""


def _pattern(name: str) -> str:
    return name.replace(".", r"\.").replace("*", _PART)


def _is_under(name: str, entry: str) -> bool:
    return bool(entry) and f".{name.replace('*', _ANY_PART)}".endswith(f".{entry}")
