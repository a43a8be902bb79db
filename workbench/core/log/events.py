"""The events of a log, one for each line that matters."""

from __future__ import annotations

from typing import NamedTuple

from workbench.core.apis.ignored import IgnoredOption
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.log.lines import Listening


class MissLogged(NamedTuple):
    """A hash line: this digest had no fixture.

    Attributes:
        source: the name that compose, kubectl or syslog put before the line; "" for none.
    """

    digest: str
    source: str = ""


class RequestLogged(NamedTuple):
    """A dump line: the request of some miss, as JSON text."""

    dump: bytes


class FixtureServed(NamedTuple):
    """A hit (our server's line).

    Attributes:
        digest: of the fixture.
        equivalent_to: the digest of the request, if it was an equivalent one, else "".
    """

    digest: str
    equivalent_to: str = ""


class UnsupportedLogged(NamedTuple):
    """An unsupported request (our server's line); ``source`` as in ``MissLogged``."""

    request: UnsupportedRequest
    source: str = ""


class AskedBy(NamedTuple):
    """Which test sent a request that was logged before (our server's line); ``key`` is the digest,
    or the text of the unsupported request.
    """

    key: str
    test: str


class SentTo(NamedTuple):
    """To which host a request was sent that was logged before (our server's line)."""

    digest: str
    host: str


class LoadFailed(NamedTuple):
    """The fixture of a digest exists, but could not be loaded; a hash line follows.

    Attributes:
        folder: its folder, from the log.
    """

    digest: str
    folder: str


class Accessed(NamedTuple):
    """The access line of the request before it; its local time in ISO 8601."""

    time: str


class Unreadable(NamedTuple):
    """A line of our server that is cut."""

    reason: str


class OptionIgnored(NamedTuple):
    """A request used an option that its server ignores."""

    option: IgnoredOption


class SuiteStarted(NamedTuple):
    """``workbench run`` began to run a suite."""


class SuiteEnded(NamedTuple):
    """The suite ended; ``code`` is the exit code of its last run."""

    code: int


ReadEvent = (
    MissLogged
    | FixtureServed
    | UnsupportedLogged
    | AskedBy
    | SentTo
    | LoadFailed
    | Listening
    | Accessed
    | Unreadable
    | OptionIgnored
    | SuiteStarted
    | SuiteEnded
)
LogEvent = ReadEvent | RequestLogged
