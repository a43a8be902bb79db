"""The requests that the server holds, and the commands that answer or release them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from workbench.core.text.wording import countdown

# There may be no server.
if TYPE_CHECKING:
    from workbench.core.control_api import HeldRequest
    from workbench.session.lists.list_query import ListQuery
    from workbench.session.server import KnownServer

# The reply that the clients got, or a note that they left before.
EndOfWait = Literal["fallback", "error", "left"]


class Held(NamedTuple):
    """The held requests of one digest and the clients that wait for them, the longest wait first;
    times are of the monotonic clock, and belong to the request that the server gives up first.
    """

    requests: tuple[HeldRequest, ...]
    since: float
    gives_up_at: float

    @classmethod
    def of(cls, requests: Sequence[HeldRequest]) -> Held:
        now = time.monotonic()
        return cls(
            tuple(requests),
            now - max(request.age_s for request in requests),
            now + min(request.gives_up_in_s for request in requests),
        )

    @property
    def clients(self) -> int:
        """How many clients wait."""
        return sum(request.clients for request in self.requests)

    @property
    def begun(self) -> int:
        """To how many of them the status was sent."""
        return sum(request.begun for request in self.requests)

    @property
    def stream(self) -> bool:
        """True if the clients that already have a status get a stream."""
        return all(request.stream for request in self.requests if request.begun)

    def of_variant(self, variant: str) -> Held:
        """Those requests that have the tools and the output format of ``variant``; all of them if
        none has.
        """
        return self._replace(
            requests=tuple(r for r in self.requests if r.variant == variant) or self.requests
        )

    @property
    def waited(self) -> float:
        """Seconds since the first client's request."""
        return time.monotonic() - self.since

    @property
    def left(self) -> float:
        """Seconds until the server gives up."""
        return max(0.0, self.gives_up_at - time.monotonic())


class EndedWait(NamedTuple):
    """How the wait of a request ended that got no answer.

    Attributes:
        at: the local time when it ended.
        seconds: that it took.
    """

    how: EndOfWait
    at: datetime
    seconds: float

    @classmethod
    def of(cls, kind: str, data: Mapping[str, Any], *, misses_fail: bool) -> Self | None:
        """The one that an event of the server reports now; None for another event, and for the end
        of a wait whose clients had left.

        Args:
            misses_fail: clients get an error without an answer, and not the fallback.
        """
        if kind == "gone":
            return cls("left", datetime.now(), data["age_s"])
        if kind == "released" and data["clients"]:
            return cls("error" if misses_fail else "fallback", datetime.now(), data["age_s"])
        return None

    @property
    def brief(self) -> str:
        """``fallback sent 04:24``."""
        what = "client left" if self.how == "left" else f"{self.how} sent"
        return f"{what} {self.at:%H:%M}"

    @property
    def words(self) -> str:
        """``fallback sent 04:24, after 5:00``."""
        return f"{self.brief}, after {countdown(self.seconds)}"


class HeldRequests:
    """The held requests of one server, as it last reported.

    Attributes:
        ended: by digest, the waits that ended without an answer since the digest was last held.
    """

    def __init__(self, server: KnownServer) -> None:
        self._server = server
        self.ended: dict[str, EndedWait] = {}
        self._held: dict[str, Held] = {}

    def __contains__(self, digest: str) -> bool:
        return digest in self._held

    def __len__(self) -> int:
        return len(self._held)

    @property
    def digests(self) -> list[str]:
        """The held digests, the longest wait first."""
        return list(self._held)

    @property
    def clients(self) -> int:
        """How many clients wait."""
        return sum(held.clients for held in self._held.values())

    def get(self, digest: str) -> Held | None:
        return self._held.get(digest)

    def take(self, requests: Iterable[HeldRequest]) -> set[str]:
        """Replace the held requests; returns the digests that changed."""
        before = self._held
        of_digest: defaultdict[str, list[HeldRequest]] = defaultdict(list)
        for request in requests:
            of_digest[request.digest].append(request)
        self._held = {digest: Held.of(several) for digest, several in of_digest.items()}
        for digest in self._held:
            self.ended.pop(digest, None)
        return before.keys() ^ self._held.keys() | {
            digest
            for digest, held in self._held.items()
            if digest in before and _counts(before[digest]) != _counts(held)
        }

    def offer_next(self, query: ListQuery[Any], saved: str) -> None:
        """After a save, select the request that waits longest. If none waits, but clients waited
        for the saved one, select the next open row, else nothing. Then the next request to wait is
        selected on arrival.
        """
        others = (digest for digest in self._held if digest != saved and digest in query)
        following = next(others, None)
        if following is None and saved in self._held:
            place = query.next_place(lambda key: not query.is_done(key) and key != saved, 1)
            following = query.keys[place] if place is not None else None
        elif following is None:
            following = query.selected
        query.offer(following)

    # Questions and commands to the server. They block, for a thread, and raise ControlError.

    def refresh(self) -> None:
        """Fetch the held requests from the server."""
        self.take(self._server.client.held())

    def answer_once(self, digest: str, response: dict[str, Any], variant: str = "") -> Held:
        """Answer the clients of ``digest`` without saving the response.

        Args:
            variant: of the request to answer, where several with the digest are held; "" for all.
        """
        held = self._waiting(digest).of_variant(variant)
        for request in held.requests:
            self._server.client.answer(request.id, response)
        return held

    def release(self, digest: str) -> Held:
        """Answer the clients of ``digest`` with the reply of a miss."""
        held = self._waiting(digest)
        for request in held.requests:
            self._server.client.release(request.id)
        return held

    def extend(self, digest: str) -> Held:
        """Let the clients of ``digest`` wait five minutes more."""
        waiting = self._waiting(digest).requests
        return Held.of([self._server.client.extend(request.id) for request in waiting])

    def _waiting(self, digest: str) -> Held:
        from workbench.io.network.control_client import ControlError

        held = self._held.get(digest)
        if held is None:
            raise ControlError("no client is waiting for it")
        return held


def _counts(held: Held) -> list[tuple[str, int, int]]:
    return [(request.id, request.clients, request.begun) for request in held.requests]
