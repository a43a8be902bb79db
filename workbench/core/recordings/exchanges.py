"""The records of a recording: requests of an application and their replies, in order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from workbench.core.apis.table import view
from workbench.core.formats import FormatError
from workbench.core.json import divergence
from workbench.core.json.divergence import Divergence
from workbench.core.requests.equivalence import canonical_form, compared
from workbench.core.requests.view import Payload

FORMAT: Final = 1

ReplySource = Literal[
    "fixture", "directive", "fallback", "recorded", "held", "scripted", "call", "replaced"
]


# Statuses after which a client expects no body: it would be read as the next reply.
_WITHOUT_BODY: Final = (204, 304)
_LONGEST_HEADER: Final = 8_000
_NOT_IN_HEADERS: Final = re.compile(r"[^\t -~\x80-\xff]")


class NewerFormatError(FormatError):
    """Written by a later version of this program."""

    def __init__(self, written: int, reads: int = FORMAT) -> None:
        super().__init__(
            f"written in format {written}; this workbench only reads up to format {reads}"
        )


@dataclass(frozen=True, slots=True)
class Parent:
    """The parent of a fork: the exchange at ``at`` is the first of the fork itself."""

    run: str
    at: int


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a journal.

    Attributes:
        id: of the recording; also the name of its file.
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
        frames: for each frame of a stream, milliseconds since the request and size in bytes.
        is_complete: False if it was cut off.
    """

    status: int
    content_type: str
    body: bytes
    frames: tuple[tuple[float, int], ...] = ()
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class Returned:
    """The JSON value that a call other than an LLM call returned."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception that such a call, or a client, raised."""

    kind: str
    message: str


Outcome = Sent | Returned | Raised


def unsendable(sent: Sent) -> str:
    """Why no server can send a reply, in words that follow its name and a dot: "status is 999, …".
    "" if one can.
    """
    if sent.status == 0 and not sent.is_complete:  # the connection was closed instead
        return ""
    if not 200 <= sent.status <= 599:
        return f"status is {sent.status}, not one of 200 to 599"
    if sent.status in _WITHOUT_BODY and sent.body:
        return f"body is not empty; a reply with status {sent.status} has none"
    if match := _NOT_IN_HEADERS.search(sent.content_type):
        return f"content_type has U+{ord(match[0]):04X}, which no header can have"
    if len(sent.content_type) > _LONGEST_HEADER:
        return f"content_type is longer than {_LONGEST_HEADER:,} characters"
    return ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its reply.

    Attributes:
        position: in the recording, from 1.
        node: the part of the application that made the request; "" if it has no name.
        call: the number of requests of that node so far, this one included.
        request: the payload of an LLM call, or the arguments of another call as a JSON object.
        digest: digest of the payload; None for another call.
        source: origin of the reply; later versions may use other words.
        test: the test that made the request, or "".
        at_ms, ms: milliseconds since the start of the recording, and until the reply was complete.
        extra: unknown keys, which are kept.
    """

    position: int
    node: str
    call: int
    request: Any
    outcome: Outcome
    digest: str | None = None
    source: ReplySource | str = "call"
    stream: bool = False
    at_ms: float = 0.0
    ms: float = 0.0
    test: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_chat(self) -> bool:
        return self.digest is not None

    @property
    def payload(self) -> Payload:
        """The payload of an LLM call; {} of another call."""
        return self.request if self.is_chat and isinstance(self.request, dict) else {}

    def difference(self, request: Any, digest: str | None) -> Divergence | None:
        """The first place where another request differs from this one, in what decides the answer;
        None if they are equivalent.
        """
        before, after = comparable(self.request, self.digest), comparable(request, digest)
        if self.payload and digest is not None and isinstance(request, dict):
            before, after = compared(before, after)
        return divergence.first(before, after)


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
    """The value into which the application parsed the reply at ``position``."""

    position: int
    value: Any = None


@dataclass(frozen=True, slots=True)
class End:
    """The recording ended; ``problem`` is the error that ended it, or ""."""

    problem: str = ""


Record = Header | Exchange | CheckpointMark | Parsed | End


def comparable(request: Any, digest: str | None) -> Any:
    """The part of a request that decides its answer: for an LLM call, what its digest covers, in
    canonical form.
    """
    if digest is None or not isinstance(request, dict):
        return request
    return canonical_form(view(request).canonical._asdict())
