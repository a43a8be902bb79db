"""The request of a miss, to read: conversation, tools, JSON, and the nearest fixture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Label

from workbench.core import requests
from workbench.session.sight import Sight
from workbench.tui.frame import Framed, tab_line
from workbench.tui.inert import one_line
from workbench.tui.nearest_lines import nearest_name, nearest_sections
from workbench.tui.outline import Section
from workbench.tui.request_lines import VIEWS, Earlier
from workbench.tui.search_line import SearchLine
from workbench.tui.section_view import SectionView
from workbench.tui.styles import ACCENT, MUTED, WARNING

# The number of the view behind the others.
NEAREST: Final = len(VIEWS)

# Seconds from the last letter of what is looked for.
FIND_AFTER: Final = 0.08


class RequestPane(Framed, Vertical, can_focus=True):
    """Shows one request, or says why there is none.

    Long by its table of keys, each of which has an action of two lines.
    """

    BINDING_GROUP_TITLE = "Request"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left_square_bracket", "turn(-1)", show=False,
                id="request.view_back", tooltip="The view before"),
        Binding("right_square_bracket", "turn(1)", "View", key_display="[ ]",
                id="request.view", tooltip="The next view: Conversation, Tools, JSON, Nearest"),
        Binding("right_curly_bracket", "go(1)", "Message", key_display="{ }",
                id="request.forward", tooltip="The next message or tool"),
        Binding("left_curly_bracket", "go(-1)", show=False,
                id="request.back", tooltip="The message or tool before"),
        Binding("enter", "fold", "Fold", key_display="⏎",
                id="request.fold", tooltip="Fold or unfold the message or tool"),
        Binding("slash", "find", "Find", id="request.find", tooltip="Find in the request"),
        Binding("n", "next_match(1)", show=False,
                id="request.next", tooltip="The next place found"),
        Binding("N", "next_match(-1)", show=False,
                id="request.previous", tooltip="The place found before"),
        Binding("escape", "stop_finding", show=False,
                id="request.stop_finding", tooltip="Look for nothing any more"),
        Binding("y", "copy", "Copy", id="request.copy", tooltip="Copy the message or tool"),
        Binding("left_parenthesis", "variant(-1)", show=False,
                id="request.dump_back", tooltip="The dump before, of several"),
        Binding("right_parenthesis", "variant(1)", show=False,
                id="request.dump", tooltip="The next dump, of several"),
        Binding("up,k", "scroll(-1)", show=False, id="request.up", tooltip="A line up"),
        Binding("down,j", "scroll(1)", show=False, id="request.down", tooltip="A line down"),
        Binding("pageup", "page(-1)", show=False, id="request.page_up", tooltip="A page up"),
        Binding("pagedown,space", "page(1)", show=False,
                id="request.page_down", tooltip="A page down"),
        Binding("home,g", "edge(False)", show=False, id="request.top", tooltip="The beginning"),
        Binding("end,G", "edge(True)", show=False, id="request.end", tooltip="The end"),
    ]  # fmt: skip

    DEFAULT_CSS = """
    RequestPane {
        layers: default search; align-vertical: bottom;
        & #views { height: 1; width: 1fr; margin-bottom: 1; }
    }
    """

    @dataclass
    class Copied(Message):
        """A part of the request is to be copied."""

        text: str

    @dataclass
    class FactsChanged(Message):
        """What stands in the frame changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        # Whether there is a view of the nearest fixture, which is behind the others.
        self.compares = False
        self._sight: Sight | None = None
        self._alike = 0
        self._view = 0
        self._view_before = 0
        self._variant = 0
        self._payloads: Sequence[Mapping[str, Any]] = ()
        self._notice: list[Content] = []
        self._earlier: Earlier | None = None
        self._facts = Content("")
        self._sought_next = ""
        self._find_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Label(id="views")
        yield SectionView(id="lines")
        yield SearchLine("find in the request")

    @property
    def _lines(self) -> SectionView:
        return self.query_one(SectionView)

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
        notice: list[Content],
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

    def show_nearest(self, sight: Sight, alike: int) -> None:
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

    def show_notice(self, notice: list[Content]) -> None:
        """Show other lines before the request, which stays where it is."""
        if notice != self._notice:
            self._notice = notice
            self._update(keep_place=True)

    def _update(self, *, keep_place: bool = False) -> None:
        label, payload = self.query_one("#views", Label), self.payload
        if payload is None:
            label.update("", layout=False)
            self._facts = Content("")
            self._lines.show_sections(self._notice, tuple, keep_place=keep_place)
            return
        notice = [*self._notice, *self._variants_notice()]
        notice += [Content("")] if notice else []
        sections: Callable[[], Iterable[Section]]
        if self._shown == NEAREST:
            sections = partial(nearest_sections, self._sight, self._alike)
        else:
            sections = partial(VIEWS[self._shown][1], payload, self._earlier)
        self._lines.show_sections(notice, sections, keep_place=keep_place)
        said = payload.get("messages")
        messages = len(said) if isinstance(said, list) else 0
        counts = [messages, len(requests.tools(payload)), None]
        names = [
            name if count is None else f"{name} {count}"
            for (name, _), count in zip(VIEWS, counts, strict=True)
        ]
        names += [nearest_name(self._sight)] if self.compares else []
        label.update(tab_line(names, self._shown, action="focused.view"), layout=False)
        stream = "stream" if requests.asks_stream(payload) else "no stream"
        words = f"{messages} message{'s' * (messages != 1)} · {stream}"
        self._facts = Content.styled(words, MUTED)

    def facts(self) -> Content:
        """What stands in the frame: how often what is looked for was found, or else how many
        messages there are and whether a stream was asked for.
        """
        told = self._lines.told()
        return one_line(told, ACCENT) if told else self._facts

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
            lines.append(one_line(f"  {mark} {number + 1}  {shape.kind} {shape.name}  {tools}"))
        lines.append(Content.styled("  One fixture answers all. ( ) picks which is shown.", MUTED))
        return lines

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        if self.is_mounted:
            self._lines.set_marked(has_focus)

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

    def action_go(self, by: int) -> None:
        self._lines.go(by)

    def action_fold(self) -> None:
        self._lines.fold()

    def action_scroll(self, by: int) -> None:
        self._lines.scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        self._lines.scroll_relative(y=by * max(self._lines.size.height - 1, 1), animate=False)

    def action_edge(self, end: bool) -> None:
        if end:
            self._lines.scroll_end(animate=False)
        else:
            self._lines.scroll_home(animate=False)

    def action_copy(self) -> None:
        text = self._lines.copied()
        if text:
            self.tell(self.Copied(text))

    # Finding

    def action_find(self) -> None:
        self.query_one(SearchLine).open(self._lines.sought)

    def on_search_line_changed(self, event: SearchLine.Changed) -> None:
        event.stop()
        self._sought_next = event.text
        if self._find_timer is not None:
            self._find_timer.stop()
        # All of a long request is looked at: not for each letter of a word.
        self._find_timer = self.set_timer(FIND_AFTER, self._find_now)

    def on_search_line_left(self, event: SearchLine.Left) -> None:
        event.stop()
        self._find_now()
        self.focus()

    def _find_now(self) -> None:
        if self._find_timer is not None:
            self._find_timer.stop()
            self._find_timer = None
            self._find(self._sought_next)

    def _find(self, text: str) -> None:
        self._lines.find(text)
        self.tell(self.FactsChanged())

    def action_next_match(self, by: int) -> None:
        if not self._lines.sought:
            raise SkipAction
        self._lines.next_match(by)
        self.tell(self.FactsChanged())

    def action_stop_finding(self) -> None:
        if not self._lines.sought:
            raise SkipAction
        self._find("")
