"""Messages that more than one widget posts. Those of a single widget are nested in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message


class CountsChanged(Message):
    """What the bar counts is more or less now: a decision was made, or files were read."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, CountsChanged)


@dataclass
class StatusChanged(Message):
    """What the program did, for the status line.

    Attributes:
        severity: ``information``, ``warning`` or ``error``.
    """

    text: str
    severity: str = "information"


@dataclass
class StatusHinted(Message):
    """What could be done, for a status line that says nothing else.

    Attributes:
        instead_of: an earlier hint, which this one takes the place of.
    """

    text: str
    instead_of: str


@dataclass
class StatusSolved(Message):
    """What the status line said no longer holds."""

    text: str


@dataclass
class LineAsked(Message):
    """A decision needs a line of text from the person."""

    question: str
    answered: Callable[[str], None]


@dataclass
class ConfirmAsked(Message):
    """A decision needs a yes.

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
    """Another digest is shown in the panes of a tab; the status line says where a save goes.

    Attributes:
        tab: the id of the tab.
    """

    digest: str | None
    tab: str | None
