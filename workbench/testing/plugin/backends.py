"""Check that the backend a test requires is available, without sending it a request."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal
from urllib.parse import urlsplit

import pytest

from workbench.testing.plugin.marks import BadMarkError, require_arguments

Probe = Literal["dns", "tcp"]

# A name that takes longer to resolve counts as unknown.
_PATIENCE_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Requirement:
    """The arguments of ``llm_requires_backend``.

    Attributes:
        env: variables that must be set.
        url_env: the variable with the URL of the backend.
        reject: prefixes of URLs that are not accepted (``sqlite``).
        probe: ``dns``: the URL's host must have an address; ``tcp``: something must listen there;
            None: nothing is probed.
    """

    env: tuple[str, ...] = ()
    url_env: str | None = None
    reject: tuple[str, ...] = ()
    probe: Probe | None = None

    @classmethod
    def of(cls, mark: pytest.Mark) -> Requirement:
        """The requirement of a mark. Raises BadMarkError."""
        require_arguments(mark, "env", "url_env", "reject", "probe")
        url_env, probe = mark.kwargs.get("url_env"), mark.kwargs.get("probe")
        if not isinstance(url_env, str | None):
            raise BadMarkError(
                f"{mark.name}: url_env must be the name of a variable, got {url_env!r}"
            )
        if probe not in (None, "dns", "tcp"):
            raise BadMarkError(f'{mark.name}: probe must be "dns" or "tcp", got {probe!r}')
        return cls(_texts(mark, "env"), url_env, _texts(mark, "reject"), probe)

    def missing(self, environ: Mapping[str, str]) -> str | None:
        """Why the backend is missing; None if it may be there."""
        for name in self.env:
            if not environ.get(name, "").strip():
                return f"{name} is not set"
        if self.url_env is None:
            return None
        url = environ.get(self.url_env, "").strip()
        if not url:
            return f"{self.url_env} is not set"
        for beginning in self.reject:
            if url.casefold().startswith(beginning.casefold()):
                return f"{self.url_env} begins with {beginning}, which is not accepted"
        return None if self.probe is None else self._unreachable(url)

    def _unreachable(self, url: str) -> str | None:
        """Why the URL cannot be reached. Never shows the URL, which may contain a password."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            return f"{self.url_env} is not a URL"
        if not host:
            return f"{self.url_env} has no host"
        if not _resolves(host):
            return f"the host {host} of {self.url_env} has no address"
        if self.probe == "tcp":
            if port is None:
                return f"{self.url_env} has no port"
            if not _listens(host, port):
                return f"nothing listens on {host}:{port} of {self.url_env}"
        return None


def _texts(mark: pytest.Mark, name: str) -> tuple[str, ...]:
    value = mark.kwargs.get(name, ())
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
        raise BadMarkError(f"{mark.name}: {name} must be a list of strings, got {value!r}")
    return tuple(values)


@lru_cache
def _resolves(host: str) -> bool:
    """True if a name has an address. Runs in a thread, because some resolvers take half a
    minute.
    """
    answers: list[bool] = []

    def look_up() -> None:
        with suppress(OSError, UnicodeError):  # UnicodeError: a label is too long
            answers.append(bool(socket.getaddrinfo(host, None)))

    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(_PATIENCE_SECONDS)
    return bool(answers)


@lru_cache
def _listens(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), _PATIENCE_SECONDS).close()
    except OSError:
        return False
    return True
