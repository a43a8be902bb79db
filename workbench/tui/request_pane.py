"""The request of a miss, to read: conversation, tools, JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Label

from workbench.core import requests
from workbench.tui.frame import Framed, tab_line
from workbench.tui.line_view import LineView
from workbench.tui.request_lines import VIEWS
from workbench.tui.styles import MUTED, WARNING


class RequestPane(Framed, Vertical, can_focus=True):
    """Shows one request, or says why there is none."""

    BINDING_GROUP_TITLE = "Request"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left_square_bracket", "turn(-1)", "View", key_display="["),
        Binding("right_square_bracket", "turn(1)", "View", key_display="]"),
        Binding("left_parenthesis", "variant(-1)", "Dump", show=False),
        Binding("right_parenthesis", "variant(1)", "Dump", show=False),
        Binding("up,k", "scroll(-1)", "Up", show=False),
        Binding("down,j", "scroll(1)", "Down", show=False),
        Binding("pageup", "scroll(-10)", "Page up", show=False),
        Binding("pagedown,space", "scroll(10)", "Page down", show=False),
        Binding("home", "scroll(-100000000)", "Top", show=False),
        Binding("end", "scroll(100000000)", "End", show=False),
    ]

    DEFAULT_CSS = """
    RequestPane {
        & #views { height: 1; width: 1fr; margin-bottom: 1; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view = 0
        self._variant = 0
        self._payloads: Sequence[Mapping[str, Any]] = ()
        self._notice: list[Content] = []

    def compose(self) -> ComposeResult:
        yield Label(id="views")
        yield LineView(id="lines")

    @property
    def variant(self) -> int:
        """Which of the dumps is shown, from 0."""
        return self._variant

    def show(self, payloads: Sequence[Mapping[str, Any]], notice: list[Content]) -> None:
        """Show the request of another miss, in the view that was chosen.

        Args:
            payloads: its dumps; none where the log has none.
            notice: lines that stand before the request.
        """
        self._payloads, self._notice, self._variant = payloads, notice, 0
        self._update()

    def _update(self) -> None:
        lines = self.query_one("#lines", LineView)
        label = self.query_one("#views", Label)
        if not self._payloads:
            label.update("")
            lines.show(self._notice)
            return
        payload = self._payloads[self._variant]
        notice = [*self._notice, *self._variants_notice()]
        lines.show([*notice, *([Content("")] if notice else []), *VIEWS[self._view][1](payload)])
        counts = [len(requests.messages(payload)), len(requests.tools(payload)), None]
        names = [
            name if count is None else f"{name} {count}"
            for (name, _), count in zip(VIEWS, counts, strict=True)
        ]
        label.update(tab_line(names, self._view, action="view"))

    def facts(self) -> Content:
        """What stands in the frame: how many messages, whether a stream was asked for."""
        if not self._payloads:
            return Content("")
        payload = self._payloads[self._variant]
        count = len(requests.messages(payload))
        stream = "stream" if requests.asks_stream(payload) else "no stream"
        return Content.styled(f"{count} message{'s' * (count != 1)} · {stream}", MUTED)

    def _variants_notice(self) -> list[Content]:
        if len(self._payloads) < 2:
            return []
        lines = [
            Content.styled(
                f"! {len(self._payloads)} requests share this digest and differ outside it:",
                WARNING,
            )
        ]
        for number, payload in enumerate(self._payloads):
            shape = requests.response_format(payload)
            offered = len(requests.tools(payload))
            mark = ">" if number == self._variant else " "
            tools = f"{offered} tool{'s' * (offered != 1)}"
            lines.append(Content(f"  {mark} {number + 1}  {shape.kind} {shape.name}  {tools}"))
        lines.append(Content.styled("  One fixture answers all. ( ) picks which is shown.", MUTED))
        return lines

    def action_turn(self, by: int) -> None:
        self.action_view((self._view + by) % len(VIEWS))

    def action_view(self, number: int) -> None:
        self._view = number
        self._update()

    def action_variant(self, by: int) -> None:
        if self._payloads:
            self._variant = (self._variant + by) % len(self._payloads)
            self._update()

    def action_scroll(self, by: int) -> None:
        self.query_one("#lines", LineView).scroll_relative(y=by, animate=False)
