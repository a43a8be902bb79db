"""The records of a run: what an application asked, in order, and what came back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from workbench.core.apis.table import view

FORMAT: Final = 1

Source = Literal[
    "fixture", "directive", "fallback", "recorded", "held", "scripted", "call", "replaced"
]


class RunFormatError(ValueError):
    """A line, or a whole file, that cannot be read as part of a run; the text says why."""


class NewerFormatError(RunFormatError):
    """Written by a later version of this program."""

    def __init__(self, found: int, reads: int = FORMAT) -> None:
        super().__init__(f"Written by format {found}; this reads up to {reads}. Not opened.")


@dataclass(frozen=True, slots=True)
class Parent:
    """Where a fork leaves its parent: the exchange at ``at`` is its first own one."""

    run: str
    at: int


@dataclass(frozen=True, slots=True)
class Header:
    """The first line.

    Attributes:
        id: of the run, also its file's name.
        name: for people.
        started: local time in ISO 8601 with its offset.
    """

    id: str
    name: str
    started: str
    parent: Parent | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sent:
    """A reply over HTTP, as it was sent.

    Attributes:
        frames: of a stream, each frame's time in milliseconds since the request came and its size
            in bytes.
        is_complete: False where it broke off.
    """

    status: int
    content_type: str
    body: bytes
    frames: tuple[tuple[float, int], ...] = ()
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class Returned:
    """What a call that is no LLM call gave back, as a JSON value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception that such a call, or a client, raised."""

    kind: str
    message: str


Outcome = Sent | Returned | Raised


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came back.

    Attributes:
        position: in the run, from 1.
        node: the part of the application that asked; "" where it has no name.
        call: how many times that node has asked, this one included.
        request: the payload of an LLM call; of another call its arguments as a JSON object.
        digest: of the payload; None for another call.
        source: what the reply came from; of a later version another word.
        at_ms, ms: milliseconds from the run's start, and until the reply was complete.
        extra: keys that are not known here.
    """

    position: int
    node: str
    call: int
    request: Any
    outcome: Outcome
    digest: str | None = None
    source: Source | str = "call"
    stream: bool = False
    at_ms: float = 0.0
    ms: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_chat(self) -> bool:
        return self.digest is not None

    @property
    def comparable(self) -> Any:
        """What of the request decides its answer."""
        return comparable(self.request, self.digest)


@dataclass(frozen=True, slots=True)
class CheckpointMark:
    """A checkpoint was saved after the exchange at ``after`` (0: before the first)."""

    checkpoint: str
    after: int
    iteration: int
    state_keys: int = 0
    is_complete: bool = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """What the application made of the reply at ``position``."""

    position: int
    value: Any = None


@dataclass(frozen=True, slots=True)
class End:
    """The run ended: ``problem`` is "" or what it died of."""

    problem: str = ""


Record = Header | Exchange | CheckpointMark | Parsed | End


def comparable(request: Any, digest: str | None) -> Any:
    """What of a request decides its answer: of an LLM call what its digest is made of."""
    if digest is None or not isinstance(request, dict):
        return request
    return view(request).canonical._asdict()
