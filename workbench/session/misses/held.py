"""Who waits in the server for an answer, and what is decided about them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workbench.core.control import HeldRequest, HoldState
from workbench.io.control_client import ControlClient, ControlError

# From then on a held request's status has been sent: see the server.
STATUS_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Held:
    """Clients that wait for one digest; times are of the monotonic clock."""

    request: HeldRequest
    since: float
    gives_up_at: float

    @classmethod
    def of(cls, request: HeldRequest) -> Held:
        now = time.monotonic()
        return cls(request, now - request.age_s, now + request.gives_up_in_s)

    @property
    def waited(self) -> float:
        """Seconds since the first client asked."""
        return time.monotonic() - self.since

    @property
    def left(self) -> float:
        """Seconds until the server gives up."""
        return max(0.0, self.gives_up_at - time.monotonic())

    @property
    def is_status_sent(self) -> bool:
        """Whether an error could no longer have a status of its own."""
        return self.waited > STATUS_SECONDS


class HeldRequests:
    """The held requests of one server, as it last told.

    Attributes:
        hold: whether it holds; None where it cannot or is not known.
        client: asks the server; None where there is none.
    """

    def __init__(self) -> None:
        self.hold: HoldState | None = None
        self.client: ControlClient | None = None
        self._held: dict[str, Held] = {}

    def __contains__(self, digest: str) -> bool:
        return digest in self._held

    def __len__(self) -> int:
        return len(self._held)

    @property
    def digests(self) -> list[str]:
        """The digests that clients wait for, the longest first."""
        return list(self._held)

    @property
    def clients(self) -> int:
        """How many clients wait."""
        return sum(held.request.clients for held in self._held.values())

    @property
    def oldest(self) -> float:
        """How long the first of them waits, in seconds; 0 where nobody does."""
        return max((held.waited for held in self._held.values()), default=0.0)

    def get(self, digest: str) -> Held | None:
        return self._held.get(digest)

    def take(self, requests: Iterable[HeldRequest]) -> set[str]:
        """Take in who waits now; returns the digests about which that is news."""
        before = self._held
        self._held = {request.digest: Held.of(request) for request in requests}
        return before.keys() ^ self._held.keys() | {
            digest
            for digest, held in self._held.items()
            if digest in before and before[digest].request.clients != held.request.clients
        }

    def lose(self) -> set[str] | None:
        """The server cannot be asked: nobody is known to wait. Returns the digests about which that
        is news; None where nothing was known of it before either.
        """
        if self.hold is None and not self._held:
            return None
        self.hold = None
        return self.take([])

    # Decisions; each asks the server and is made for a thread. They raise ControlError.

    def set_hold(self, *, enabled: bool) -> HoldState:
        """Hold misses from now on, or no longer; who waits already waits on."""
        self.hold = self._asked().set_hold(enabled=enabled)
        return self.hold

    def answer_once(self, digest: str, response: dict[str, Any]) -> Held:
        """Give the clients of ``digest`` a response without saving it."""
        held = self._waiting(digest)
        self._asked().answer(held.request.id, response)
        return held

    def release(self, digest: str) -> Held:
        """Give them the fallback."""
        held = self._waiting(digest)
        self._asked().release(held.request.id)
        return held

    def extend(self, digest: str) -> Held:
        """Give them five minutes more."""
        return Held.of(self._asked().extend(self._waiting(digest).request.id))

    def _asked(self) -> ControlClient:
        if self.client is None:
            raise ControlError("there is no server")
        return self.client

    def _waiting(self, digest: str) -> Held:
        held = self._held.get(digest)
        if held is None:
            raise ControlError("nobody waits for it")
        return held
