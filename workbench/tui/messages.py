"""Messages that more than one widget posts. Those of a single widget are nested in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message


class CountsChanged(Message):
    """The counts in the header may have changed."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, CountsChanged)


@dataclass
class StatusChanged(Message):
    """A text for the status line: what the program did.

    Attributes:
        severity: ``information``, ``warning`` or ``error``.
    """

    text: str
    severity: str = "information"


@dataclass
class StatusHinted(Message):
    """A hint for the status line, shown only if that is empty.

    Attributes:
        instead_of: an earlier hint that this one replaces.
    """

    text: str
    instead_of: str


@dataclass
class StatusSolved(Message):
    """A text of the status line no longer holds."""

    text: str


@dataclass
class LineAsked(Message):
    """Ask the person for a line of text."""

    question: str
    answered: Callable[[str], None]


@dataclass
class ConfirmAsked(Message):
    """Ask the person for a yes.

    Attributes:
        choices: what the keys do: ``y deletes, any other key keeps it.``
        declined: called for a no.
    """

    question: str
    choices: str
    confirmed: Callable[[], object]
    declined: Callable[[], object] | None = None


@dataclass
class SubjectChanged(Message):
    """A tab shows another digest; the status line says which file a save writes.

    Attributes:
        tab: the id of the tab.
    """

    digest: str | None
    tab: str | None
