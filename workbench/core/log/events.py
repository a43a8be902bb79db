"""What a log says: its events, in the order of its lines."""

from __future__ import annotations

from typing import NamedTuple

from workbench.core.apis.ignored import IgnoredOption
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.log.lines import Listening


class MissLogged(NamedTuple):
    """A hash line: this digest had no fixture.

    Attributes:
        source: who wrote it, where many write one log: the name that compose, kubectl or syslog put
            before the line; "" for none.
    """

    digest: str
    source: str = ""


class RequestLogged(NamedTuple):
    """A dump line: the request of some miss, as JSON text."""

    dump: bytes


class FixtureServed(NamedTuple):
    """A hit (our server's line)."""

    digest: str


class UnsupportedLogged(NamedTuple):
    """A request that the server does not speak (our server's line). ``source`` as in
    ``MissLogged``.
    """

    request: UnsupportedRequest
    source: str = ""


class LoadFailed(NamedTuple):
    """The file of a digest exists and could not be loaded; a hash line follows."""

    path: str
    error: str


class Accessed(NamedTuple):
    """An access line of the chat route, or of an unsupported request that was logged before, with
    its local time in ISO 8601.
    """

    time: str


class Unreadable(NamedTuple):
    """A line of ours that is cut or garbled; ``offset`` is its place in the log, in bytes."""

    offset: int
    reason: str


class OptionIgnored(NamedTuple):
    """A request asked for something that its server ignores."""

    option: IgnoredOption


LogEvent = (
    MissLogged
    | RequestLogged
    | FixtureServed
    | UnsupportedLogged
    | LoadFailed
    | Listening
    | Accessed
    | Unreadable
    | OptionIgnored
)
