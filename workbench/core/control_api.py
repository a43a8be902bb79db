"""The protocol between a server and its clients: request headers, and the values of the control
API. The server writes these values and the clients read them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

NODE_HEADER: Final = "X-Workbench-Node"
"""Header of a request: which part of the application sends it."""
VERIFY_HEADER: Final = "X-Workbench-Verify"
"""Header of a verification, which does not come from the suite; its value is 1."""
FIRST_HEADER: Final = "X-Workbench-First"
"""Header of a verification: the index of the answer in ``first`` that is verified; without it, that
is ``response``.
"""
CLIENT_HEADER: Final = "X-Workbench-Client"
"""Header of the first request on a connection to our server: the name of the process that sends
all requests on it.
"""


class HoldState(NamedTuple):
    """True if misses wait for a fixture, and the longest wait in seconds. ``possible`` is false on
    a server that records or replays, because its requests never wait.
    """

    enabled: bool
    timeout_s: float
    possible: bool = True


class ServerReport(NamedTuple):
    """The present state of a server.

    Attributes:
        server: a unique id; a restarted server has a new one.
        version: version of workbench.
        fixtures: the folder of fixtures.
        profile: how it writes its replies.
        strict: a miss gets an error instead of the fallback, also after a wait without an answer.
        ignored: the options of requests that its replies did not honour.
        log: the file that its log is appended to, or "".
    """

    server: str
    version: str
    fixtures: str
    profile: str
    strict: bool
    hold: HoldState
    ignored: list[str]
    log: str = ""


class HeldRequest(NamedTuple):
    """Clients waiting for the answer to one request; times are in seconds. ``begun`` counts the
    clients that already got the beginning of a response, with status 200. ``variant`` distinguishes
    requests with the same digest (``RequestView.variant``).
    """

    id: str
    digest: str
    age_s: float
    gives_up_in_s: float
    stream: bool
    clients: int
    begun: int = 0
    variant: str = ""


class RunningState(NamedTuple):
    """The test that runs in a process, None for none, and for how many seconds requests of it have
    been held.
    """

    test: str | None
    held_s: float
