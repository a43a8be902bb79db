"""The request of a miss, to read: conversation, tools, JSON, and the nearest fixture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Label

from workbench.core.apis.table import view
from workbench.session.misses.nearest_result import NearestResult
from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.outline import Section
from workbench.tui.lines.section_pane import SectionPane, section_keys
from workbench.tui.request.lines import VIEWS, Earlier
from workbench.tui.request.nearest_lines import nearest_name, nearest_sections
from workbench.tui.widgets.frame import tab_line
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import MUTED, WARNING

# The number of the view behind the others.
NEAREST: Final = len(VIEWS)


class RequestPane(SectionPane):
    """Shows one request, or says why there is none."""

    class VariantChanged(Message):
        """Another of the dumps is shown."""

    BINDING_GROUP_TITLE = "Request"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        *section_keys("request", "Message", "message or tool",
                      "Conversation, Tools, JSON, Nearest"),
        Binding("left_parenthesis", "variant(-1)", show=False,
                id="request.dump_back", tooltip="The dump before, of several"),
        Binding("right_parenthesis", "variant(1)", show=False,
                id="request.dump", tooltip="The next dump, of several"),
    ]
    # fmt: on

    FIND_HINT = "find in the request"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        # Whether there is a view of the nearest fixture, which is behind the others.
        self.compares = False
        self._sight: NearestResult | None = None
        self._alike = 0
        self._view = 0
        self._view_before = 0
        self._variant = 0
        self._payloads: Sequence[Mapping[str, Any]] = ()
        self._notice: Sequence[Line] = ()
        self._earlier: Earlier | None = None
        self._facts = Content("")

    # What is shown

    @property
    def variant(self) -> int:
        """Which of the dumps is shown, from 0."""
        return self._variant

    @property
    def payload(self) -> Mapping[str, Any] | None:
        """The request that is shown."""
        return self._payloads[self._variant] if self._payloads else None

    def show(
        self,
        payloads: Sequence[Mapping[str, Any]],
        notice: Sequence[Line],
        earlier: Earlier | None = None,
    ) -> None:
        """Show the request of another miss, in the view that was chosen, and from the top, unless
        this pane has the focus: then one request is compared with the next.

        Args:
            payloads: its dumps; none where the log has none.
            notice: lines that stand before the request.
            earlier: the miss that it continues.
        """
        self._payloads, self._notice, self._variant = payloads, notice, 0
        self._earlier = earlier
        self._sight = None
        self._update(keep_place=self.has_focus)

    def show_nearest(self, sight: NearestResult, alike: int) -> None:
        """Show what was found of the nearest fixture.

        Args:
            alike: how many misses are requests of fixtures on another day.
        """
        self._sight, self._alike = sight, alike
        self._update(keep_place=True)

    @property
    def shows_nearest(self) -> bool:
        """Whether the view of the nearest fixture is the one shown."""
        return self._shown == NEAREST

    @property
    def _shown(self) -> int:
        """The number of the view that is shown: the chosen one, where there is such."""
        return self._view if self._view != NEAREST or self.compares else self._view_before

    def show_notice(self, notice: Sequence[Line]) -> None:
        """Show other lines before the request, which stays where it is."""
        if notice != self._notice:
            self._notice = notice
            self._update(keep_place=True)

    def _update(self, *, keep_place: bool = False) -> None:
        label, payload = self.query_one("#views", Label), self.payload
        if payload is None:
            label.update("", layout=False)
            self._facts = Content("")
            self.lines.show_sections(self._notice, tuple, keep_place=keep_place)
            return
        notice = [*self._notice, *self._variants_notice()]
        notice += [Content("")] if notice else []
        sections: Callable[[], Iterable[Section]]
        if self._shown == NEAREST:
            sections = partial(nearest_sections, self._sight, self._alike)
        else:
            sections = partial(VIEWS[self._shown][1], payload, self._earlier)
        self.lines.show_sections(notice, sections, keep_place=keep_place)
        request = view(payload)
        messages = len(request.raw_messages)
        counts = [messages, len(request.tools), None]
        names = [
            name if count is None else f"{name} {count}"
            for (name, _), count in zip(VIEWS, counts, strict=True)
        ]
        names += [nearest_name(self._sight)] if self.compares else []
        label.update(tab_line(names, self._shown, action="focused.view"), layout=False)
        stream = "stream" if request.stream else "no stream"
        words = f"{messages} message{'s' * (messages != 1)} · {stream}"
        self._facts = Content.styled(words, MUTED)

    def plain_facts(self) -> Content:
        """How many messages there are, and whether a stream was asked for."""
        return self._facts

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
            shape = view(payload).output_format
            offered = len(view(payload).tools)
            mark = ">" if number == self._variant else " "
            tools = f"{offered} tool{'s' * (offered != 1)}"
            lines.append(one_line(f"  {mark} {number + 1}  {shape.kind} {shape.name}  {tools}"))
        lines.append(Content.styled("  One fixture answers all. ( ) picks which is shown.", MUTED))
        return lines

    # Keys

    def action_turn(self, by: int) -> None:
        self.action_view((self._shown + by) % (len(VIEWS) + self.compares))

    def action_view(self, number: int) -> None:
        if number == NEAREST and self._view != NEAREST:
            self._view_before = self._view
        self._view = number
        self._update()

    def toggle_nearest(self) -> None:
        """Show the nearest fixture, or again the view before it."""
        self.action_view(self._view_before if self.shows_nearest else NEAREST)

    def action_variant(self, by: int) -> None:
        if self._payloads:
            self._variant = (self._variant + by) % len(self._payloads)
            self._update()
            self.tell(self.VariantChanged())
