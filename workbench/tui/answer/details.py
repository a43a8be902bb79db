"""Finish reason, usage, description and delivery: one line until you go there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from workbench.core.fixture.findings import Finding
from workbench.core.replies.fixture_form import FINISH_REASONS
from workbench.session.drafts import text_fields
from workbench.session.drafts.text_fields import DELIVERY
from workbench.tui.answer.delivery_card import DeliveryCard, in_words
from workbench.tui.answer.field_row import TextField, field_rows
from workbench.tui.widgets.glyphs import SEVERITIES
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.styles import MUTED

NO_DESCRIPTION = "no description"
_BETWEEN = Content.styled(" · ", MUTED)


class Details(Vertical):
    """One muted line with the values of the fields, or the fields themselves.

    Args:
        lacking: the names of fields that are not offered.
    """

    DEFAULT_CSS = """
    Details {
        height: auto;
        & > #details { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > FieldRow, & > DeliveryCard { display: none; }
        &.-open > #details { display: none; }
        &.-open > FieldRow, &.-open > DeliveryCard { display: block; }
    }
    """

    def __init__(self, lacking: Collection[str]) -> None:
        super().__init__()
        self._line = SteadyLabel(id="details")
        fields = {
            "finish_reason": {
                "finish": TextField(placeholder="stop", suggestions=FINISH_REASONS),
            },
            "usage": {
                "prompt": TextField(before="prompt", is_number=True),
                "completion": TextField(before="completion", is_number=True),
            },
            "description": {
                "description": TextField(placeholder="left empty: test and question"),
            },
        }
        self.rows = field_rows(fields, lacking)
        self.delivery = DeliveryCard(lacking)
        self._marked: Iterable[Finding] = ()

    def compose(self) -> ComposeResult:
        yield self._line
        yield from self.rows
        yield self.delivery

    @property
    def inputs(self) -> dict[str, TextField]:
        """The fields by name; the delivery fields only after their first use."""
        rows = (*self.rows, *self.delivery.rows)
        return {name: field for row in rows for name, field in row.fields.items()}

    async def show(
        self, response: Mapping[str, Any], values: Mapping[str, str], *, is_other: bool
    ) -> None:
        """Show the values of a response; the values of another response only in the line."""
        if is_other:
            self.fold()
        await self.delivery.show(response, values, is_other=is_other)
        for name, field in self.inputs.items():
            if is_other or not field.is_edited:
                field.show(values[name])
        self._update_line()

    def show_counts(self, prompt: int, completion: int) -> None:
        """Show the token counts that are sent where none are written."""
        self.inputs["prompt"].placeholder = f"{prompt:,}"
        self.inputs["completion"].placeholder = f"{completion:,}"
        self._update_line()

    def mark(self, problems: Iterable[Finding]) -> None:
        """Mark the fields with problems, and the line."""
        self._marked = problems
        for row in (*self.rows, *self.delivery.rows):
            row.mark(problems)
        self._update_line()

    # The line

    def _update_line(self) -> None:
        """Show what is written in the colour of text, and what else is sent muted, and less of
        it in a narrow pane.
        """
        inputs, parts = self.inputs, []
        finish, counts = inputs["finish"], (inputs["prompt"], inputs["completion"])
        parts.append(_part(finish.value, finish.placeholder, is_usual=finish.value in ("", "stop")))
        usage = "/".join(count.value or str(count.placeholder) or "–" for count in counts)
        parts.append(_part("", f"usage {usage}", is_usual=not any(count.value for count in counts)))
        delivery = self.delivery.delivery
        words = in_words(delivery) if delivery else "delivery cannot be sent"
        parts.append(_part("", words, is_usual=words == "at once"))
        if (field := inputs.get(text_fields.DESCRIPTION)) is not None:
            parts.append(_part(field.value, NO_DESCRIPTION, is_usual=not field.value))
        mark = Content("")
        worst = next((p for p in self._marked if text_fields.at(p.path) is not None), None)
        if worst is not None:
            glyph, style = SEVERITIES[worst.severity]
            mark = Content.styled(f"{glyph} ", style)
        line = mark + _BETWEEN.join(part.text for part in parts)
        while line.cell_length > self.size.width and any(part.is_usual for part in parts):
            parts.remove([part for part in parts if part.is_usual][-1])
            line = mark + _BETWEEN.join(part.text for part in parts)
        self._line.update(line)

    # Opening

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    async def open(self, name: str = "finish") -> None:
        """Show the fields and focus one of them."""
        self.add_class("-open")
        if name in DELIVERY:
            await self.delivery.unfold()
        inputs = self.inputs
        self.screen.set_focus(inputs.get(name, inputs["finish"]))
        self.call_after_refresh(self._show_focused)

    def fold(self) -> None:
        """Show only the line."""
        self.remove_class("-open")
        self._update_line()

    def on_resize(self) -> None:
        self._update_line()
        self._show_focused()

    def _show_focused(self) -> None:
        """Scroll to the focused field. Only the layout can find the place of a folded field."""
        focused = self.screen.focused
        if focused is not None and self in focused.ancestors:
            focused.scroll_visible(animate=False)

    async def on_click(self) -> None:
        if not self.is_open:
            await self.open()

    def on_descendant_blur(self) -> None:
        """Fold the fields when the focus went elsewhere; not when the terminal lost it."""
        focused = self.screen.focused
        if focused is not None and self not in focused.ancestors:
            self.fold()


class _Part(NamedTuple):
    """A part of the line; what is usual is left out first."""

    text: Content
    is_usual: bool


def _part(value: str, otherwise: str, *, is_usual: bool) -> _Part:
    return _Part(one_line(value or otherwise, MUTED if is_usual else ""), is_usual)
