"""What a mock was asked, call by call, and a table of it for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.core.apis.chat import request
from workbench.core.apis.chat.request import Message, Payload
from workbench.testing.mocks.replies import Reply

Source = Literal["scripted", "fixture", "directive", "fallback", "live", "refused"]

_WIDTHS = (3, 18, 9, 36, 44)


@dataclass(slots=True)
class Call:
    """One request that a mock got, and its reply.

    Attributes:
        number: in order of arrival, from 1.
        payload: as it was received.
        digest: of the payload.
        role: who asked, where that was recognised.
        headers: their names in lower case.
        reply: as the ``response`` of a fixture would say it; None while it is not there yet, and
            for a request that got none.
        source: what the reply came from; ``refused`` where there was none.
        is_secret: whether the request or its reply repeats the key that was sent to a real model.
    """

    number: int
    payload: Payload
    digest: str
    role: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    reply: Reply | None = None
    source: Source = "refused"
    is_secret: bool = False

    @property
    def text(self) -> str:
        """The text of all messages."""
        return request.prompt_text(self.payload)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as they were received; [] where there is no list of them."""
        messages = self.payload.get("messages")
        return messages if isinstance(messages, list) else []

    @property
    def model(self) -> str:
        return request.model(self.payload)

    @property
    def system(self) -> str:
        """What the system (or developer) messages say."""
        return "\n".join(m.text for m in self._read() if m.role in ("system", "developer"))

    @property
    def user(self) -> str:
        """What the user said last."""
        return request.last_user_text(self.payload)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that are offered."""
        return [tool.name for tool in request.tools(self.payload)]

    @property
    def stream(self) -> bool:
        return request.asks_stream(self.payload)

    def _read(self) -> list[Message]:
        return request.messages(self.payload)


def table(calls: Iterable[Call]) -> str:
    """The calls as lines of columns, a heading first; "" for none."""
    rows = [
        (str(c.number), c.role or "?", c.source, c.user, str(c.reply) if c.reply else "(none)")
        for c in calls
    ]
    if not rows:
        return ""
    head = ("#", "role", "source", "asked", "reply")
    return "\n".join(_line(row) for row in [head, *rows])


def _line(row: tuple[str, ...]) -> str:
    cells = [_cell(text, width) for text, width in zip(row, _WIDTHS, strict=True)]
    return ("  " + "  ".join(cells)).rstrip()


def _cell(text: str, width: int) -> str:
    plain = " ".join(text.split())
    return (plain if len(plain) <= width else plain[: width - 1] + "…").ljust(width)
