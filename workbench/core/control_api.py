"""The values of a server's control API: written by the server, read by its clients."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, NamedTuple, Self

from workbench.core.apis.table import view
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.requests.conversations import conversation_id
from workbench.core.requests.view import Payload


class HoldState(NamedTuple):
    """Whether misses wait for a fixture, and for how many seconds at most. ``possible`` is false on
    a server that records or replays a run: none of its requests waits.
    """

    enabled: bool
    timeout_s: float
    possible: bool = True


class HeldRequest(NamedTuple):
    """Clients waiting for the answer to one digest; times are in seconds. To ``begun`` of them the
    beginning of a response was sent, with status 200.
    """

    id: str
    digest: str
    age_s: float
    gives_up_in_s: float
    stream: bool
    clients: int
    begun: int = 0


class RunningState(NamedTuple):
    """The test that runs in a process, None for none, and for how many seconds requests of it have
    been held.
    """

    test: str | None
    held_s: float


MissState = Literal["missing", "broken", "answered", "unsupported"]
# Keys of a row that are left out where they have no value.
_OPTIONAL: Final = frozenset({"method", "path", "reason", "advice", "requests"})


@dataclass(kw_only=True)
class MissRow:
    """A row of the list of misses, as ``workbench misses`` prints it and the control API sends it.

    A row without a digest is an unsupported request, described by ``method``, ``path``, ``reason``
    and ``advice``.

    Attributes:
        digest: the file name of the fixture it wants.
        count: how many requests had this digest, or this method and path.
        model: the model it asks, None without a dump.
        last_user_text: the last message of the user, None without a dump.
        first_seen, last_seen: local times in ISO 8601, None if unknown.
        has_dump: whether any of its requests is known.
        state: "missing", "broken", "answered" or "unsupported".
        ignored: whether ``workbench-ignore.txt`` names it.
        held: whether a client waits for its answer.
        variants: how many of its requests differ.
        run: the suite run it was last seen in, from 1.
        api: "chat", "responses", "messages" or "gemini".
        turn: which turn of its conversation it is, from 1; None without a dump.
        conversation: the same for all turns of one conversation.
        tests: the tests that sent it, where known; the record has the first as ``test``, too.
        method, path: those of an unsupported request.
        reason: why it is not supported.
        advice: what to do about an unsupported request, a line for each client.
        requests: its requests, in answers to questions about one miss.
    """

    digest: str | None
    count: int
    model: str | None = None
    last_user_text: str | None = None
    first_seen: str | None
    last_seen: str | None
    has_dump: bool = False
    state: MissState = "missing"
    ignored: bool = False
    held: bool = False
    variants: int = 0
    run: int = 1
    api: str | None = "chat"
    turn: int | None = None
    conversation: str | None = None
    method: str | None = None
    path: str | None = None
    reason: str | None = None
    advice: list[str] | None = None
    requests: list[dict[str, Any]] | None = None
    tests: list[str] = field(default_factory=list)

    @classmethod
    def of_miss(cls, digest: str, payload: Payload | None, **known: Any) -> Self:
        """The row of a miss.

        Args:
            payload: one of its requests; None if no dump was seen.
            known: the other values by name.
        """
        if payload is None:
            return cls(digest=digest, **known)
        request = view(payload)
        return cls(
            digest=digest,
            model=request.model,
            last_user_text=request.last_user_text,
            has_dump=True,
            api=request.api,
            turn=request.turn,
            conversation=conversation_id(request) or None,
            **known,
        )

    @classmethod
    def of_unsupported(cls, request: UnsupportedRequest, **known: Any) -> Self:
        """The row of an unsupported request; ``known`` are the other values by name."""
        return cls(
            digest=None,
            state="unsupported",
            api=request.api,
            method=request.method,
            path=request.path,
            reason=request.reason,
            advice=request.advice,
            **known,
        )

    @property
    def unsupported(self) -> UnsupportedRequest | None:
        """The request of a row without a digest; None for a miss."""
        if self.method is None or self.path is None:
            return None
        return UnsupportedRequest(self.method, self.path, self.reason or "")

    def record(self) -> dict[str, Any]:
        """The row as a JSON object."""
        values = {**asdict(self), "test": self.tests[0] if self.tests else None}
        return {k: v for k, v in values.items() if v is not None or k not in _OPTIONAL}
