"""How an answer is delivered: at once or late, whole or cut off, or an error instead of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from workbench.core.replies.response import Delivery, FixtureError, read_delivery
from workbench.core.text.wording import counted
from workbench.session.drafts.text_fields import DELIVERY
from workbench.tui.answer.field_row import LABEL_WIDTH, FieldRow, TextField, field_rows
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.styles import ACCENT, LABEL, MUTED, WARNING


class DeliveryCard(Vertical):
    """A line that describes how the answer is delivered, and the fields for it. The fields are
    folded if they are empty, and mounted at their first use, because most answers have none.

    Args:
        lacking: the names of fields that are not offered.

    Attributes:
        delivery: how the reply is delivered; None if it cannot be sent as written.
    """

    DEFAULT_CSS = """
    DeliveryCard {
        height: auto;
        & FieldRow { display: none; }
        &.-unfolded FieldRow { display: block; }
        & #delivery { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & #sent { width: 1fr; height: auto; display: none; color: $text-warning; }
    }
    """

    def __init__(self, lacking: Collection[str] = ()) -> None:
        super().__init__()
        self._lacking = lacking
        self.delivery: Delivery | None = Delivery()
        self.rows: list[FieldRow] = []
        self._line = SteadyLabel(id="delivery")
        self._sent = SteadyLabel(id="sent")

    def compose(self) -> ComposeResult:
        yield self._line
        yield self._sent

    async def _mount_fields(self) -> None:
        if not self.rows:
            self.rows = field_rows(_fields(), self._lacking)
            await self.mount_all(self.rows)

    @property
    def inputs(self) -> dict[str, TextField]:
        """The fields by name; none before they are first needed."""
        return {name: field for row in self.rows for name, field in row.fields.items()}

    async def show(
        self, response: Mapping[str, Any], values: Mapping[str, str], *, is_other: bool
    ) -> None:
        """Show how the reply of a response is delivered; fields are mounted if one is not empty.
        Empty fields of another response than before are folded.
        """
        has_values = any(values[name] for name in DELIVERY)
        if has_values:
            await self._mount_fields()
        if is_other:
            self.set_class(has_values, "-unfolded")
        try:
            self.show_delivery(read_delivery(response))
        except FixtureError:
            self.show_delivery(None)

    def show_delivery(self, delivery: Delivery | None) -> None:
        """Show how the reply is delivered; None where it cannot be sent as written."""
        self.delivery = delivery
        if delivery is not None and (inputs := self.inputs):
            error = delivery.error
            inputs["status"].placeholder = str(error.status) if error else "none"
            inputs["message"].placeholder = error.message if error else ""
            inputs["type"].placeholder = error.type or "by the status" if error else ""
        self._update_line()

    def show_sent(self, note: str) -> None:
        """If an error is chosen, show how a client that already has a status receives it; "" for
        none.
        """
        self._sent.update(Content(note), layout=True)
        self._sent.display = bool(note) and self.has_error

    def _update_line(self) -> None:
        delivery = self.delivery
        words = (
            Content(in_words(delivery)) if delivery else Content.styled("cannot be sent", WARNING)
        )
        hint = "folds" if self.is_unfolded else "delay, truncate, or fail"
        switch = Content.styled("^f ", ACCENT) + Content.styled(hint, MUTED)
        label = Content.styled(f"{'delivery':<{LABEL_WIDTH}}", LABEL)
        switch = switch.stylize("@click=screen.command('answer.delivery')")
        self._line.update(label + words + Content("   ") + switch)

    @property
    def has_error(self) -> bool:
        """True if an error is sent instead of the reply."""
        return self.delivery is not None and self.delivery.error is not None

    @property
    def is_unfolded(self) -> bool:
        return self.has_class("-unfolded")

    async def unfold(self) -> None:
        """Show the fields."""
        await self._mount_fields()
        self.add_class("-unfolded")
        self.show_delivery(self.delivery)

    def fold(self) -> None:
        """Show only the line."""
        self.remove_class("-unfolded")
        self._update_line()


def _fields() -> dict[str, dict[str, TextField]]:
    """The fields of each row, by its label."""
    never = "never, or after this many frames"
    return {
        "error": {
            "status": TextField(before="status", is_number=True),
            "retry_after": TextField(before="retry_after", placeholder="seconds", is_number=True),
        },
        "  message": {"message": TextField()},
        "  type": {"type": TextField(), "code": TextField(before="code")},
        "delay_ms": {"delay_ms": TextField(placeholder="0", is_number=True)},
        "chunk_delay_ms": {"chunk_delay_ms": TextField(placeholder="0", is_number=True)},
        "disconnect_after": {"disconnect_after": TextField(placeholder=never)},
    }


def in_words(delivery: Delivery) -> str:
    """For example ``200 ms late, error 429 instead``."""
    words = []
    if delivery.delay_ms:
        words.append(f"{delivery.delay_ms:,} ms late")
    if delivery.chunk_delay_ms:
        words.append(f"{delivery.chunk_delay_ms:,} ms a frame")
    if delivery.error is not None:
        words.append(f"error {delivery.error.status} instead")
    if delivery.disconnect_after is not None:
        words.append(f"cut off after {counted(delivery.disconnect_after, 'frame')}")
    return ", ".join(words) or "at once"
