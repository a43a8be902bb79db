"""The reply of an exchange."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.content import Content

from workbench.core.recordings.exchanges import Exchange, Raised, Sent
from workbench.tui.lines.section_pane import SectionPane, section_keys
from workbench.tui.recordings.reply_lines import as_sent, what_it_says
from workbench.tui.widgets.frame import tab_line
from workbench.tui.widgets.styles import MUTED

VIEWS: Final = ("Reply", "As sent")


class ReplyPane(SectionPane):
    """Shows one reply."""

    label = "Reply"
    BINDING_GROUP_TITLE = "Reply"
    EMPTY = "The reply to it is shown here."
    HELP = "What was answered, as text or as it was sent."
    BINDINGS: ClassVar[list[BindingType]] = section_keys(
        "reply", "Part", "content, call or frame", "text, bytes as sent"
    )

    FIND_HINT = "find in this view of the reply"

    def __init__(self) -> None:
        super().__init__()
        self._exchange: Exchange | None = None
        self._parsed: object = None
        self._view = 0

    # What is shown

    def show(self, exchange: Exchange | None, parsed: object = None) -> None:
        """Show the reply of another exchange; None empties the pane.

        Args:
            parsed: what the application made of it; None if that is not known.
        """
        self._exchange, self._parsed = exchange, parsed
        self._update(keep_place=self.has_focus)

    def _update(self, *, keep_place: bool = False) -> None:
        exchange = self._exchange
        if exchange is None:
            self.show_sections(())
        else:
            names = tab_line(VIEWS, self._view, action="focused.view")
            make = partial(what_it_says, exchange, self._parsed)
            if self._view == VIEWS.index("As sent"):
                make = partial(as_sent, exchange)
            facts = _facts(exchange)
            self.show_sections((), make, views=names, facts=facts, keep_place=keep_place)

    # Keys

    def searched(self) -> str:
        return "in this view of the reply"

    def action_turn(self, by: int) -> None:
        self.action_view((self._view + by) % len(VIEWS))

    def action_view(self, number: int) -> None:
        self._view = number
        self._update()


def _facts(exchange: Exchange) -> Sequence[Content]:
    """How the reply was sent, and how long it took."""
    facts = [f"{exchange.ms:,.1f} ms"]
    match exchange.outcome:
        case Sent(status=status):
            facts = [f"status {status}", "stream" if exchange.stream else "no stream", *facts]
        case Raised():
            facts = ["raised", *facts]
    return [Content.styled(fact, MUTED) for fact in facts]
