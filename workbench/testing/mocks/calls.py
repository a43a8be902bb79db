"""The requests that a mock received, as a table and as exchanges of a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import indent
from typing import Any, Final, Literal

from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.core.requests.messages import INSTRUCTION_ROLES
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
        number: position in the order of arrival, from 1.
        view: content of the request, in the same form for all APIs.
        digest: digest of the request, which is the name of its fixture.
        role: role of the caller; None if no declaration matches.
        headers: headers of the request, with names in lower case; empty for an agent mock.
        reply: the reply; None until there is one, and for a request that was refused.
        source: origin of the reply: ``scripted``, ``fixture``, ``directive``, ``fallback``,
            ``live``, or ``refused`` without a reply.
        is_secret: True if the request or its reply repeats the key of the real model.
        unanswered: why the request was not answered, with the nearest fixture and script; "" if it
            was.
        sent: the reply as sent over HTTP or a transport; None for an agent mock.
        at_ms: arrival time, milliseconds since the first call of the mock.
        latency_ms: time until the reply was ready, without its delay.
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
    at_ms: float = field(default=0.0, repr=False)
    latency_ms: float = field(default=0.0, repr=False)

    @property
    def payload(self) -> Payload:
        """The body of the request, a dict; of an agent mock, the keyword arguments of the call."""
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
        """The name of the model, or ""."""
        return self.view.model

    @property
    def system(self) -> str:
        """The text of the system and developer messages."""
        system = (m for m in self.view.messages if m.role in INSTRUCTION_ROLES)
        return "\n".join(message.text for message in system)

    @property
    def user(self) -> str:
        """The text of the last user message, or ""."""
        return self.view.last_user_text

    @property
    def tools(self) -> list[str]:
        """The names of the offered tools."""
        return [tool.name for tool in self.view.tools]

    @property
    def stream(self) -> bool:
        """True if the client asked for a stream."""
        return self.view.stream

    def __str__(self) -> str:
        """``call 2 (critic: 'Is 4 right?')``"""
        if repeats_credential(self):
            return f"call {self.number} {HIDDEN}"
        role = f"{self.role}: " if self.role else ""
        return f"call {self.number} ({role}{excerpt(self.user or self.text, LONGEST_QUOTED)!r})"


def repeats_credential(call: Call) -> bool:
    """True if the call must not be written down, because it or its reply repeats a credential."""
    if call.is_secret:
        return True
    written = as_written(call.payload, call.headers.items())
    sent = call.sent
    return written.is_secret or (
        sent is not None and written.credentials.are_in_body(sent.content_type, sent.body)
    )


def exchanges(calls: Iterable[Call]) -> list[Exchange]:
    """The calls that were answered over HTTP, as a recording has them. Calls that repeat a key are
    left out, because exchanges are written to disk.
    """
    answered: list[Exchange] = []
    call_counts: Counter[str] = Counter()
    for call in calls:
        node = call.role or ""
        call_counts[node] += 1
        if call.sent is not None and not repeats_credential(call):
            answered.append(
                Exchange(
                    position=call.number,
                    node=node,
                    call=call_counts[node],
                    request=call.payload,
                    outcome=call.sent,
                    digest=call.digest,
                    source="call" if call.source in ("live", "refused") else call.source,
                    stream=call.stream,
                    at_ms=round(call.at_ms, 3),
                    ms=call.latency_ms,
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
        problem = f"call {at + 1} is missing, expected {_quoted(expected[at])}"
    elif at == len(expected):
        problem = f"call {at + 1}, by {_quoted(roles[at])}, is not expected"
    else:
        problem = f"call {at + 1}: expected {_quoted(expected[at])}, got {_quoted(roles[at])}"
    fail(
        f"Unexpected calls: {problem}.",
        f"expected: {_names(expected)}",
        f"     got: {_names(roles)}",
        calls=calls,
    )


def fail(headline: str, *lines: str, calls: Sequence[Call]) -> None:
    """Raises AssertionError with a table of the calls."""
    text = "\n".join([headline, *(indent(line, "  ") for line in lines), "Calls:", table(calls)])
    raise AssertionError(escaped_lines(text))


def _quoted(role: str | None) -> str:
    return "no role" if role is None else f"role {role!r}"


def _names(roles: Sequence[str | None]) -> str:
    return ", ".join(role or "(no role)" for role in roles) or "(no calls)"
