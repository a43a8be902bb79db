"""A pane of sections to read, in one of several views: gone through, folded, searched, copied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from workbench.tui.lines.section_view import SectionView
from workbench.tui.lines.text_pane import TextPane, moving_keys
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.search_line import SearchLine
from workbench.tui.widgets.styles import ACCENT

# Seconds from the last letter of what is looked for.
FIND_AFTER = 0.08


def section_keys(name: str, label: str, section: str, views: str) -> list[BindingType]:
    """The keys of such a pane.

    Args:
        name: of the pane; the ids begin with it.
        label: what a section is, in a word for the line of keys.
        section: the same, as in "the next message or tool".
        views: what can be seen in it.
    """
    # fmt: off
    return [
        Binding("left_square_bracket", "turn(-1)", show=False,
                id=f"{name}.view_back", tooltip="The view before"),
        Binding("right_square_bracket", "turn(1)", "View", key_display="[ ]",
                id=f"{name}.view", tooltip=f"The next view: {views}"),
        Binding("right_curly_bracket", "go(1)", label, key_display="{ }",
                id=f"{name}.forward", tooltip=f"The next {section}"),
        Binding("left_curly_bracket", "go(-1)", show=False,
                id=f"{name}.back", tooltip=f"The {section} before"),
        Binding("enter", "fold", "Fold", key_display="⏎",
                id=f"{name}.fold", tooltip=f"Fold or unfold the {section}"),
        Binding("slash", "find", "Find", id=f"{name}.find", tooltip=f"Find in the {name}"),
        Binding("n", "next_match(1)", show=False,
                id=f"{name}.next", tooltip="The next place found"),
        Binding("N", "next_match(-1)", show=False,
                id=f"{name}.previous", tooltip="The place found before"),
        Binding("escape", "stop_finding", show=False,
                id=f"{name}.stop_finding", tooltip="Look for nothing any more"),
        Binding("y", "copy", "Copy", id=f"{name}.copy", tooltip=f"Copy the {section}"),
        *moving_keys(name),
    ]
    # fmt: on


class SectionPane(TextPane):
    """Holds the names of its views, a view of sections, and a line to find something in them."""

    DEFAULT_CSS = """
    SectionPane {
        layers: default search; align-vertical: bottom;
        & #views { height: 1; width: 1fr; margin-bottom: 1; }
    }
    """

    FIND_HINT: ClassVar[str] = ""

    @dataclass
    class Copied(Message):
        """A section is to be copied."""

        text: str

    class FactsChanged(Message):
        """What stands in the frame changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sought_next = ""
        self._find_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield SteadyLabel(id="views")
        yield SectionView(id="lines")
        yield SearchLine(self.FIND_HINT)

    @property
    def lines(self) -> SectionView:
        return self.query_one(SectionView)

    def facts(self) -> Content:
        """What stands in the frame: how often what is looked for was found, or else facts of what
        is shown.
        """
        told = self.lines.told()
        return one_line(told, ACCENT) if told else self.plain_facts()

    def plain_facts(self) -> Content:
        """What stands in the frame while nothing is looked for."""
        raise NotImplementedError

    def action_view(self, number: int) -> None:
        """Show another view."""
        raise NotImplementedError

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        if self.is_mounted:
            self.lines.set_marked(has_focus)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("next_match", "stop_finding"):
            return bool(self.lines.sought)
        return super().check_action(action, parameters)

    def action_go(self, by: int) -> None:
        self.lines.go(by)

    def action_fold(self) -> None:
        self.lines.fold()

    def action_copy(self) -> None:
        text = self.lines.copied()
        if text:
            self.tell(self.Copied(text))

    # Finding

    def action_find(self) -> None:
        self.query_one(SearchLine).open(self.lines.sought)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._sought_next = event.value
        if self._find_timer is not None:
            self._find_timer.stop()
        # All of a long text is looked at: not for each letter of a word.
        self._find_timer = self.set_timer(FIND_AFTER, self._find_now)

    def on_search_line_left(self, event: SearchLine.Left) -> None:
        event.stop()
        self._find_now()
        self.screen.set_focus(self)

    def _find_now(self) -> None:
        if self._find_timer is not None:
            self._find_timer.stop()
            self._find_timer = None
            self._find(self._sought_next)

    def _find(self, text: str) -> None:
        self.lines.find(text)
        self.tell(self.FactsChanged())

    def action_next_match(self, by: int) -> None:
        self.lines.next_match(by)
        self.tell(self.FactsChanged())

    def action_stop_finding(self) -> None:
        self._find("")
