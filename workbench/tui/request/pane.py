"""The request of a miss: conversation, tools, JSON, and the nearest fixture."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from workbench.core.apis.table import view
from workbench.core.text.wording import counted
from workbench.session.misses.nearest_result import NearestResult
from workbench.tui.lines.json_lines import as_json
from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.section_pane import SectionPane, section_keys
from workbench.tui.lines.sections import Section
from workbench.tui.request.nearest_lines import nearest_name, nearest_sections
from workbench.tui.request.request_lines import Earlier, conversation, newest, tools
from workbench.tui.widgets.frame import tab_line
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.post_up import post_up
from workbench.tui.widgets.status import say
from workbench.tui.widgets.styles import MUTED, WARNING

# The numbers of the first view, and of the last one, which may be missing.
CONVERSATION, NEAREST = 0, 3


class RequestPane(SectionPane):
    """Shows one request, or says why there is none.

    Attributes:
        has_nearest: whether there is a view of the nearest fixture.
        payloads: the requests of the digest.
        variant: the number of the one that is shown, from 0.
    """

    class VariantChanged(Message):
        """Another of the requests with this digest is shown."""

    label = "Request"
    BINDING_GROUP_TITLE = "Request"
    HELP = "What was asked: messages, tools, JSON, and the fixture that is nearest to it."
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        *section_keys("request", "Message", "message or tool",
                      "Conversation, Tools, JSON, Nearest"),
        Binding("left_parenthesis", "variant(-1)", "Previous dump", show=False,
                id="request.dump_back", tooltip="The previous of several requests of this digest"),
        Binding("right_parenthesis", "variant(1)", "Next dump", show=False,
                id="request.dump", tooltip="The next of several requests of this digest"),
    ]
    # fmt: on

    FIND_HINT = "find in this view of the request"

    def __init__(self) -> None:
        super().__init__()
        self.has_nearest = False
        self._nearest: NearestResult | None = None
        self._alike = 0
        self._view = 0
        self._view_before = 0
        self.variant = 0
        self.payloads: Sequence[Mapping[str, Any]] = ()
        self._notice: Sequence[Line] = ()
        self._earlier: Earlier | None = None

    def searched(self) -> str:
        return "in this view of the request"

    # What is shown

    @property
    def payload(self) -> Mapping[str, Any] | None:
        """The request that is shown."""
        return self.payloads[self.variant] if self.payloads else None

    def show(
        self,
        payloads: Sequence[Mapping[str, Any]],
        notice: Sequence[Line],
        earlier: Earlier | None = None,
        variant: int = 0,
        *,
        is_same: bool = False,
    ) -> None:
        """Show the requests of a miss, in the same view, after a notice and compared with the miss
        that it continues: the one with the number ``variant``, or the first if there are not so
        many. Another one than before is shown from the top, unless this pane has the focus, so
        that requests can be compared.
        """
        self.payloads, self._notice = payloads, notice
        self.variant = variant if variant < len(payloads) else 0
        self._earlier = earlier
        self._nearest = None
        self._update(keep_place=self.has_focus, is_same=is_same)

    def show_nearest(self, nearest: NearestResult, alike: int) -> None:
        """Show the nearest fixture, and the number of stale misses: in another view its name alone,
        since what is shown there is the same.
        """
        self._nearest, self._alike = nearest, alike
        payload = self.payload
        if self.shows_nearest or payload is None:
            self._update(is_same=True)
        else:
            self.show_names(self._names_of(self._views(payload)))

    @property
    def shows_nearest(self) -> bool:
        """Whether the view of the nearest fixture is shown."""
        return self._shown == NEAREST

    @property
    def _shown(self) -> int:
        """The number of the view that is shown: the chosen one if it is available."""
        return self._view if self._view != NEAREST or self.has_nearest else self._view_before

    def show_notice(self, notice: Sequence[Line]) -> None:
        """Show other lines before the request, without scrolling."""
        if notice != self._notice:
            self._notice = notice
            self._update(is_same=True)

    def _update(self, *, keep_place: bool = False, is_same: bool = False) -> None:
        payload = self.payload
        if payload is None:
            self.show_sections(self._notice, keep_place=keep_place, is_same=is_same)
            return
        notice = [*self._notice, *self._variants_notice()]
        notice += [Content("")] if notice else []
        views = self._views(payload)
        count, is_streamed = len(view(payload).raw_messages), view(payload).stream
        stream = "stream" if is_streamed else "no stream"
        facts = Content.styled(f"{counted(count, 'message')} · {stream}", MUTED)
        make = list(views.values())[self._shown]
        self.show_sections(
            notice,
            make,
            views=self._names_of(views),
            facts=facts,
            start=newest(payload) if self._shown == CONVERSATION else "",
            keep_place=keep_place,
            is_same=is_same,
        )

    def _names_of(self, views: Collection[str]) -> Content:
        return tab_line(list(views), self._shown, action="focused.view")

    def _views(self, payload: Mapping[str, Any]) -> dict[str, Callable[[], Iterable[Section]]]:
        """The views by their names."""
        request = view(payload)
        views: dict[str, Callable[[], Iterable[Section]]] = {
            f"Conversation {len(request.raw_messages)}": partial(
                conversation, payload, self._earlier
            ),
            f"Tools {len(request.tools)}": partial(tools, payload),
            "JSON": partial(as_json, payload),
        }
        if self.has_nearest:
            nearest = partial(nearest_sections, self._nearest, self._alike)
            views[nearest_name(self._nearest)] = nearest
        return views

    def _variants_notice(self) -> list[Content]:
        """If there are several requests: what differs in each, and which is shown."""
        if len(self.payloads) < 2:
            return []
        head = f"! {len(self.payloads)} requests share this digest and differ outside it:"
        lines = [Content.styled(head, WARNING)]
        for number, payload in enumerate(self.payloads):
            shape, offered = view(payload).output_format, view(payload).tools
            mark = ">" if number == self.variant else " "
            offers = ", ".join(tool.name for tool in offered) or "no tools"
            lines.append(one_line(f"  {mark} {number + 1}  {shape.kind} {shape.name}  {offers}"))
        advice = "  ( ) picks one. The fixture answers all, or has an answer for each."
        lines.append(Content.styled(advice, MUTED))
        return lines

    # Keys

    def action_turn(self, by: int) -> None:
        self.action_view((self._shown + by) % (NEAREST + self.has_nearest))

    def action_view(self, number: int) -> None:
        if number == NEAREST and self._view != NEAREST:
            self._view_before = self._view
        self._view = number
        self._update()

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
