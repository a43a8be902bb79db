"""What a server and the programs around it tell one another: headers of requests, and the values of
its control API, which the server writes and its clients read.
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
    """Whether misses wait for a fixture, and for how many seconds at most. ``possible`` is false on
    a server that records or replays: none of its requests waits.
    """

    enabled: bool
    timeout_s: float
    possible: bool = True


class ServerReport(NamedTuple):
    """The present state of a server.

    Attributes:
        server: an id that another server, or the same one started again, does not have.
        version: that of workbench.
        fixtures: the folder that it reads.
        profile: how it writes its replies.
        strict: a miss gets an error, not the fallback; so does one whose wait ends without answer.
        ignored: the options of requests that its replies did not honour.
        log: the file that its log is appended to; "" where there is none.
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
    """Clients waiting for the answer to one request; times are in seconds. To ``begun`` of them the
    beginning of a response was sent, with status 200. ``variant`` tells requests of one digest
    apart (``RequestView.variant``).
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
