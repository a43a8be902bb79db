"""The request of a miss: conversation, tools, JSON, and the nearest fixture."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from workbench.core.apis.table import view
from workbench.session.misses.nearest_result import NearestResult
from workbench.tui.lines.json_lines import as_json
from workbench.tui.lines.line_layout import Line, TextLine
from workbench.tui.lines.section_pane import SectionPane, section_keys
from workbench.tui.lines.sections import Section
from workbench.tui.request.nearest_lines import nearest_name, nearest_sections
from workbench.tui.request.request_lines import (
    NO_ROOM,
    Earlier,
    conversation,
    depends_on_room,
    newest,
    tools,
)
from workbench.tui.widgets.frame import tab_line
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.post_up import post_up
from workbench.tui.widgets.status import say
from workbench.tui.widgets.styles import MUTED, WARNING

# The numbers of the first view, and of the last one, which may be missing.
CONVERSATION, NEAREST = 0, 3


class RequestPane(SectionPane):
    """Shows one request, or explains why there is none.

    Attributes:
        has_nearest: True if there is a view of the nearest fixture.
        payloads: the requests of the digest.
        variant: the number of the one that is shown, from 0.
    """

    class VariantChanged(Message):
        """Another of the requests with this digest is shown."""

    class ViewChanged(Message):
        """Another view of the request is shown."""

    label = "Request"
    BINDING_GROUP_TITLE = "Request"
    EMPTY = "The request of the selected row is shown here."
    HELP = "What was asked: messages, tools, JSON, and the nearest fixture."
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        *section_keys("request", "Message", "message or tool",
                      "Conversation, Tools, JSON, Nearest"),
        Binding("left_parenthesis", "variant(-1)", "Previous request", show=False,
                id="request.dump_back", tooltip="The previous of several requests of this digest"),
        Binding("right_parenthesis", "variant(1)", "Next request", show=False,
                id="request.dump", tooltip="The next of several requests of this digest"),
    ]
    # fmt: on

    DEFAULT_CSS = """
    RequestPane { & #notice {
        display: none; height: auto; max-height: 50%; width: 1fr;
        border-top: solid $foreground 20%;
    } }
    """

    FIND_HINT = "find in this view of the request"

    def __init__(self) -> None:
        super().__init__()
        self.has_nearest = False
        self._nearest: NearestResult | None = None
        self._view = 0
        self._view_before = 0
        self.variant = 0
        self.payloads: Sequence[Mapping[str, Any]] = ()
        self._lines: Sequence[Line] = ()
        self._about_nearest: Sequence[Line] = ()
        self._is_replaced = False
        self._notice = SteadyLabel(id="notice")
        self._below = Content("")
        self._earlier: Earlier | None = None
        self._room = NO_ROOM

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self._notice

    def searched(self) -> str:
        return "in this view of the request"

    def on_resize(self) -> None:
        """Show as much of a long conversation as there is room for now."""
        payload = self.payload
        if payload is None or self._shown != CONVERSATION or self._room == self.lines.size:
            return
        if depends_on_room(payload):
            self._room = self.lines.size
            self._update(is_same=True)

    # What is shown

    @property
    def payload(self) -> Mapping[str, Any] | None:
        """The request that is shown."""
        return self.payloads[self.variant] if self.payloads else None

    def show(
        self,
        payloads: Sequence[Mapping[str, Any]],
        lines: Sequence[Line],
        earlier: Earlier | None = None,
        *,
        about_nearest: Sequence[Line] = (),
        is_same: bool = False,
    ) -> None:
        """Show the requests of a miss, in the same view, compared with the miss that it continues:
        the request with the number ``variant``, or the first if there are fewer. A different
        request is shown from its new part; the other views from the top, unless this pane has the
        focus, so that requests can be compared.

        Args:
            lines: shown below the request, or instead of a missing one.
            about_nearest: shown before the lines, but not in the view of the nearest fixture.
        """
        self._is_replaced = False
        self.payloads, self._lines, self._about_nearest = payloads, lines, about_nearest
        if self.variant >= len(payloads):
            self.variant = 0
        self._earlier = earlier
        self._nearest = None
        self._update(keep_place=self.has_focus, is_same=is_same)

    def show_instead(self, lines: Sequence[Line]) -> None:
        """Show lines in place of the request and what is said of it, until the next ``show``."""
        self.show((), lines)
        self._is_replaced = True

    def show_nearest(self, nearest: NearestResult) -> None:
        """Show the nearest fixture; in another view only its name, since what is shown there is
        the same.
        """
        self._nearest = nearest
        payload = self.payload
        if self.shows_nearest or payload is None:
            self._update(is_same=True)
        else:
            self.show_names(self._names_of(self._views(payload)))

    @property
    def shows_nearest(self) -> bool:
        """True if the view of the nearest fixture is shown."""
        return self._shown == NEAREST

    @property
    def _shown(self) -> int:
        """The number of the view that is shown: the chosen one if it is available."""
        return self._view if self._view != NEAREST or self.has_nearest else self._view_before

    def show_notice(self, lines: Sequence[Line], about_nearest: Sequence[Line] = ()) -> None:
        """Show other lines below the request, or in its place, without scrolling."""
        is_other = (lines, about_nearest) != (self._lines, self._about_nearest)
        if is_other and not self._is_replaced:
            self._lines, self._about_nearest = lines, about_nearest
            self._update(is_same=True)

    def _update(self, *, keep_place: bool = False, is_same: bool = False) -> None:
        if not is_same:  # a notice that takes some of the room leaves the text as it is
            self._room = self.lines.size
        payload = self.payload
        # The view of the nearest fixture shows that in full, and needs the room.
        lines = self._lines if self.shows_nearest else (*self._about_nearest, *self._lines)
        self._show_below(lines if payload is not None else (), is_same=is_same)
        if payload is None:
            self.show_sections(lines, keep_place=keep_place, is_same=is_same)
            return
        views = self._views(payload)
        stream = "stream" if view(payload).stream else "no stream"
        several = len(self.payloads) > 1
        which = f"( {self.variant + 1} of {len(self.payloads)} )" if several else ""
        make = list(views.values())[self._shown]
        self.show_sections(
            (),
            make,
            views=self._names_of(views),
            facts=[Content.styled(which, WARNING), Content.styled(stream, MUTED)],
            start=newest(payload) if self._shown == CONVERSATION else "",
            keep_place=keep_place,
            is_same=is_same,
        )

    def _show_below(self, lines: Sequence[Line], *, is_same: bool) -> None:
        text = Content("\n").join(line for line in lines if isinstance(line, Content))
        if is_same and not text.is_same(self._below):
            self.lines.start = ""  # stays where it is, also if there are fewer rows below
        self._below = text
        self._notice.update(text, layout=True)
        self._notice.display = bool(text)

    def _names_of(self, views: Collection[str]) -> Content:
        return tab_line(list(views), self._shown, action="focused.view")

    def _views(self, payload: Mapping[str, Any]) -> dict[str, Callable[[], Iterable[Section]]]:
        """The views by their names."""
        request = view(payload)
        views: dict[str, Callable[[], Iterable[Section]]] = {
            f"Conversation {len(request.raw_messages)}": partial(self._conversation, payload),
            f"Tools {len(request.tools)}": partial(tools, payload),
            "JSON": partial(as_json, payload),
        }
        if self.has_nearest:
            nearest = partial(nearest_sections, self._nearest)
            views[nearest_name(self._nearest)] = nearest
        return views

    def _conversation(self, payload: Mapping[str, Any]) -> Iterator[Section]:
        """The conversation, and below it the differences from other requests of the digest."""
        yield from conversation(payload, self._earlier, self._room)
        if len(self.payloads) > 1:
            head = f"! {len(self.payloads)} requests have these messages and differ in the rest:"
            yield Section("", TextLine())
            yield Section("", Content.styled(head, WARNING), body=self._others)

    def _others(self) -> Iterator[Line]:
        """The tools and formats of several requests of the digest, with the shown one marked."""
        for number, payload in enumerate(self.payloads):
            shape, offered = view(payload).output_format, view(payload).tools
            mark = ">" if number == self.variant else " "
            offers = ", ".join(tool.name for tool in offered) or "no tools"
            yield one_line(f"  {mark} {number + 1}  {shape.kind} {shape.name}  {offers}")
        advice = "  ( ) picks one. The fixture answers all, or has an answer for each."
        yield Content.styled(advice, MUTED)

    # Keys

    def action_turn(self, by: int) -> None:
        self.action_view((self._shown + by) % (NEAREST + self.has_nearest))

    def action_view(self, number: int) -> None:
        if number == NEAREST and self._view != NEAREST:
            self._view_before = self._view
        self._view = number
        self._update()
        post_up(self, self.ViewChanged())

    def toggle_nearest(self) -> None:
        """Show the nearest fixture, or the previous view again."""
        self.action_view(self._view_before if self.shows_nearest else NEAREST)

    def action_variant(self, by: int) -> None:
        if len(self.payloads) < 2:
            say(self, "No other request has this digest.")
        else:
            self.variant = (self.variant + by) % len(self.payloads)
            self._update()
            post_up(self, self.VariantChanged())
