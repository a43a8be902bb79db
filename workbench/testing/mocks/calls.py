"""The requests that a mock received, as a table and as exchanges of a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.core.requests.view import Payload, RequestView
from workbench.core.text.inert import escaped_lines, excerpt
from workbench.core.written.credentials import HIDDEN
from workbench.core.written.request import as_written
from workbench.testing.mocks.replies import Reply

__tracebackhide__ = True  # failed tests show their own frames

Source = Literal["scripted", "fixture", "directive", "fallback", "live", "refused"]

LONGEST_QUOTED: Final = 60
_COLUMNS = {"#": 3, "role": 18, "source": 9, "asked": 36, "reply": 44}


@dataclass(slots=True)
class Call:
    """One request that a mock received, and its reply.

    Attributes:
        number: in order of arrival, from 1.
        view: what the request says, in the same form for all APIs.
        digest: of the request: the name of its fixture.
        role: of the caller, None if it was not recognised.
        headers: names are in lower case.
        reply: None until there is one, and for a request that was refused.
        source: where the reply came from; ``refused`` if there was none.
        is_secret: the request or its reply repeats the key that was sent to the real model.
        unanswered: why nothing answers it, with the nearest fixture and script; "" for a call that
            is no miss.
        sent: the reply as sent over HTTP.
        arrived: when it came, of ``time.monotonic``.
        ms: milliseconds until the reply was ready.
    """

    number: int
    view: RequestView = field(repr=False)
    digest: str
    role: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    reply: Reply | None = None
    source: Source = "refused"
    is_secret: bool = False
    unanswered: str = field(default="", repr=False)
    sent: Sent | None = field(default=None, repr=False)
    arrived: float = field(default=0.0, repr=False)
    ms: float = field(default=0.0, repr=False)

    @property
    def payload(self) -> Payload:
        """The request as received."""
        return self.view.payload

    @property
    def text(self) -> str:
        """The text of all messages."""
        return self.view.prompt_text

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as received; [] if the request has no list of them."""
        return self.view.raw_messages

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.view.model

    @property
    def system(self) -> str:
        """The text of the system and developer messages."""
        system = (m for m in self.view.messages if m.role in ("system", "developer"))
        return "\n".join(message.text for message in system)

    @property
    def user(self) -> str:
        """The last user message."""
        return self.view.last_user_text

    @property
    def tools(self) -> list[str]:
        """The names of the offered tools."""
        return [tool.name for tool in self.view.tools]

    @property
    def stream(self) -> bool:
        """Whether the request asks for a stream."""
        return self.view.stream

    @property
    def repeats_credential(self) -> bool:
        """Whether the call must not be written down: it or its reply repeats a credential."""
        if self.is_secret:
            return True
        written = as_written(self.payload, self.headers.items())
        sent = self.sent
        return written.is_secret or (
            sent is not None and written.credentials.are_in_reply(sent.content_type, sent.body)
        )

    def __str__(self) -> str:
        """``call 2 (critic: 'Is 4 right?')``"""
        if self.repeats_credential:
            return f"call {self.number} {HIDDEN}"
        role = f"{self.role}: " if self.role else ""
        return f"call {self.number} ({role}{excerpt(self.user or self.text, LONGEST_QUOTED)!r})"


def exchanges(calls: Iterable[Call]) -> list[Exchange]:
    """The calls that were answered over HTTP, as a recording has them. Calls that repeat a key are
    left out, because exchanges are written to disk.
    """
    answered: list[Exchange] = []
    asked: Counter[str] = Counter()
    started: float | None = None
    for call in calls:
        started = call.arrived if started is None else started
        node = call.role or ""
        asked[node] += 1
        if call.sent is not None and not call.repeats_credential:
            answered.append(
                Exchange(
                    position=call.number,
                    node=node,
                    call=asked[node],
                    request=call.payload,
                    outcome=call.sent,
                    digest=call.digest,
                    source="call" if call.source in ("live", "refused") else call.source,
                    stream=call.stream,
                    at_ms=round((call.arrived - started) * 1000, 3),
                    ms=call.ms,
                )
            )
    return answered


def table(calls: Iterable[Call]) -> str:
    """The calls as lines of text columns with a heading."""
    rows = [
        (str(c.number), c.role or "?", c.source, c.user, str(c.reply) if c.reply else "(none)")
        for c in calls
    ]
    return "\n".join(map(_line, [tuple(_COLUMNS), *rows])) if rows else "  (no calls)"


def _line(row: Iterable[str]) -> str:
    cells = zip(row, _COLUMNS.values(), strict=True)
    return ("  " + "  ".join(excerpt(text, width).ljust(width) for text, width in cells)).rstrip()


def require_roles(expected: Sequence[str | None], calls: Sequence[Call]) -> None:
    """Raises AssertionError unless these roles made the calls, in this order."""
    roles = [call.role for call in calls]
    if roles == list(expected):
        return
    pairs = enumerate(zip(expected, roles, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(expected), len(roles)))
    if at == len(roles):
        problem = f"call {at + 1} should be {_quoted(expected[at])}, but was not made"
    elif at == len(expected):
        problem = f"call {at + 1} is {_quoted(roles[at])}, but should not have been made"
    else:
        problem = f"call {at + 1} should be {_quoted(expected[at])}, but is {_quoted(roles[at])}"
    fail(
        f"Unexpected calls: {problem}.",
        f"expected: {_names(expected)}",
        f"   found: {_names(roles)}",
        calls=calls,
    )


def fail(headline: str, *lines: str, calls: Sequence[Call]) -> None:
    """Raises AssertionError with a table of the calls."""
    text = "\n".join([headline, *(f"  {line}" for line in lines), "Calls:", table(calls)])
    raise AssertionError(escaped_lines(text))


def _quoted(role: str | None) -> str:
    return "of no role" if role is None else repr(role)


def _names(roles: Sequence[str | None]) -> str:
    return ", ".join(role or "?" for role in roles) or "none"
