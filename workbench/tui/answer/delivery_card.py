"""How an answer is delivered: at once or late, whole or cut off, or an error in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Label

from workbench.core.fixtures.document import FixtureDocument, FixtureError
from workbench.core.fixtures.findings import Finding
from workbench.core.replies import delivery
from workbench.core.replies.delivery import Delivery
from workbench.session import delivery_fields
from workbench.session.preview import Preview
from workbench.tui.answer.problems import GLYPHS
from workbench.tui.widgets.field import Field
from workbench.tui.widgets.steady_label import SteadyLabel
from workbench.tui.widgets.styles import ACCENT, LABEL, MUTED, WARNING

LABEL_WIDTH: Final = 9

# The label of each row, and its fields with the words before them.
_ROWS: Final = (
    ("error", (("", "status"), ("retry after", "retry_after"))),
    ("message", (("", "message"),)),
    ("type", (("", "type"), ("code", "code"))),
    ("wait ms", (("", "delay_ms"), ("before each frame", "chunk_delay_ms"))),
    ("cut off", (("", "disconnect_after"),)),
)
# What stands in empty fields; those of an error are told what counts then.
_PLACEHOLDERS: Final = {
    "retry_after": "seconds",
    "delay_ms": "0",
    "chunk_delay_ms": "0",
    "disconnect_after": "never; else after so many frames",
}
_NUMBERS: Final = frozenset({"status", "retry_after", "delay_ms", "chunk_delay_ms"})


class DeliveryCard(Vertical):
    """One line that says how the answer is delivered, and the fields that decide it; they are
    folded where nothing is in them, and not there before something was.
    """

    DEFAULT_CSS = """
    DeliveryCard {
        height: auto;
        & .row { display: none; }
        &.-open .row { display: block; }
        & .number { width: 10; }
        & .text { width: 1fr; min-width: 5; }
        & .-marked { text-style: bold underline; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._digest = ""
        self._found: Delivery | None = Delivery()
        self._rows: list[_Row] = []

    def compose(self) -> ComposeResult:
        yield DeliveryLine()

    async def _bring_fields(self) -> None:
        """Most answers have no use for them, and each costs as much as all the rest."""
        if not self._rows:
            self._rows = [_Row(label, parts) for label, parts in _ROWS]
            await self.mount_all(self._rows)

    @property
    def inputs(self) -> dict[str, Field]:
        """The fields by their names."""
        return {name: field for row in self._rows for name, field in row.inputs.items()}

    @property
    def is_edited(self) -> bool:
        """Whether somebody typed into a field since that was last asked for."""
        return any(field.is_edited for field in self.inputs.values())

    def written_to(self, document: FixtureDocument) -> FixtureDocument:
        """The document with what was typed since the last time."""
        typed = {name: f.value for name, f in self.inputs.items() if f.take_edited()}
        return delivery_fields.with_values(document, typed)

    async def show(self, document: FixtureDocument, digest: str) -> None:
        """Show the document of a digest. What is typed meanwhile stays as it is typed."""
        values = delivery_fields.values(document)
        if any(values.values()):
            await self._bring_fields()
        is_other = digest != self._digest
        for name, field in self.inputs.items():
            if is_other or not field.is_edited:
                field.show(values[name])
        if is_other:
            self._digest = digest
            self.set_class(any(values.values()), "-open")
        try:
            self._show_delivery(delivery.read(document.response))
        except FixtureError:
            self._show_delivery(None)

    def show_checked(self, preview: Preview, problems: Sequence[Finding]) -> None:
        """Say what the document means now, and mark what is wrong."""
        self._show_delivery(None if preview.unusable else preview.delivery)
        for row in self._rows:
            row.mark(problems)

    def _show_delivery(self, found: Delivery | None) -> None:
        """Say what it is; None is one that cannot be."""
        self._found = found
        self._say()

    def _say(self) -> None:
        """Say what it is, and what counts where a field is empty."""
        found, said = self._found, Content.styled("not as written", WARNING)
        if found is not None:
            said, error = Content(_in_words(found)), found.error
            if inputs := self.inputs:
                inputs["status"].placeholder = str(error.status) if error else "none"
                inputs["message"].placeholder = error.message if error else ""
                inputs["type"].placeholder = error.type if error else ""
        self.query_one(DeliveryLine).show(said, is_open=self.has_class("-open"))

    async def unfold(self, name: str = "status") -> None:
        """Show the fields, the cursor in one of them."""
        await self._bring_fields()
        self.add_class("-open")
        self._say()
        self.screen.set_focus(self.inputs[name])

    def fold(self) -> None:
        """Show only the line."""
        self.remove_class("-open")
        self._say()


class DeliveryLine(SteadyLabel):
    """What becomes of the answer on its way, and the key that changes it, which is a button."""

    DEFAULT_CSS = """
    DeliveryLine { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    class Toggled(Message):
        """The fields are asked for, or no longer."""

    def show(self, said: Content, *, is_open: bool) -> None:
        hint = "folds" if is_open else "late, cut off, or an error instead"
        switch = Content.styled("^f ", ACCENT) + Content.styled(hint, MUTED)
        label = Content.styled(f"{'delivery':<{LABEL_WIDTH}}", LABEL)
        self.update(label + said + Content("   ") + switch.stylize("@click=switch"))

    def action_switch(self) -> None:
        self.post_message(self.Toggled())


class _Row(Horizontal):
    """A label and its fields, with the words before them."""

    def __init__(self, label: str, parts: Sequence[tuple[str, str]]) -> None:
        super().__init__(classes="row")
        self._label = label
        self._before = SteadyLabel(label, classes="label")
        self.inputs = {
            name: Field(
                compact=True,
                name=name,
                placeholder=_PLACEHOLDERS.get(name, ""),
                classes="number" if name in _NUMBERS else "text",
            )
            for _, name in parts
        }
        self._words = [words for words, _ in parts]

    def compose(self) -> ComposeResult:
        yield self._before
        for words, field in zip(self._words, self.inputs.values(), strict=True):
            if words:
                yield Label(words, classes="between")
            yield field

    def mark(self, problems: Sequence[Finding]) -> None:
        """Mark the fields that ``problems`` are about, and the row."""
        glyph = Content("")
        for name, field in self.inputs.items():
            about = [p for p in problems if delivery_fields.at(p.path) == name]
            field.set_class(bool(about), "-marked")
            if about:
                glyph = Content.styled(*GLYPHS[about[0].severity])
        label = Content(f"{self._label:<{LABEL_WIDTH - 2}}")
        self._before.update(label + glyph)


def _in_words(found: Delivery) -> str:
    """What becomes of the answer on its way: ``200 ms late, error 429 in its place``."""
    words = []
    if found.delay_ms:
        words.append(f"{found.delay_ms:,} ms late")
    if found.chunk_delay_ms:
        words.append(f"{found.chunk_delay_ms:,} ms a frame")
    if found.error is not None:
        words.append(f"error {found.error.status} in its place")
    if found.disconnect_after is not None:
        count = found.disconnect_after
        words.append(f"cut off after {count:,} frame{'s' * (count != 1)}")
    return ", ".join(words) or "at once"
