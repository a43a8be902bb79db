"""A pane to read, with keys to scroll, search, fold, copy and change the view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input

from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.section_view import SectionView
from workbench.tui.lines.sections import Section
from workbench.tui.widgets.copying import characters_of, copy
from workbench.tui.widgets.frame import Framed, scroll_keys
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.search_line import SearchField, open_search_line
from workbench.tui.widgets.status import status_of
from workbench.tui.widgets.styles import ACCENT

# The topic of the status line's messages about a search.
SEARCH: Final = "search"
# Seconds after the last key until the search starts.
FIND_AFTER = 0.08


def reading_keys(name: str) -> list[BindingType]:
    """Keys to scroll and search; their ids begin with the pane's ``name``."""
    # fmt: off
    return [
        Binding("slash", "find", "Find", id=f"{name}.find", tooltip="Find in this pane"),
        Binding("n", "next_match(1)", "Next match", show=False,
                id=f"{name}.next", tooltip="The next match"),
        Binding("N", "next_match(-1)", "Previous match", show=False,
                id=f"{name}.previous", tooltip="The previous match"),
        Binding("escape", "stop_finding", "End search", show=False,
                id=f"{name}.stop_finding", tooltip="End the search"),
        *scroll_keys(name),
    ]
    # fmt: on


def section_keys(name: str, label: str, section: str, views: str) -> list[BindingType]:
    """Keys to go through sections and views, and ``reading_keys``; sections have a word for the
    line of keys, and one in words: "message or tool".
    """
    # fmt: off
    return [
        Binding("left_square_bracket", "turn(-1)", "Previous view", show=False,
                id=f"{name}.view_back", tooltip="The previous view"),
        Binding("right_square_bracket", "turn(1)", "View", key_display="[ ]",
                id=f"{name}.view", tooltip=f"The next view: {views}"),
        Binding("right_curly_bracket", "go(1)", label, key_display="{ }",
                id=f"{name}.forward", tooltip=f"The next {section}"),
        Binding("left_curly_bracket", "go(-1)", f"Previous {label.lower()}", show=False,
                id=f"{name}.back", tooltip=f"The previous {section}"),
        Binding("enter", "fold", "Fold",
                id=f"{name}.fold", tooltip=f"Fold or unfold the {section}"),
        *reading_keys(name),
        Binding("y", "copy", "Copy", id=f"{name}.copy", tooltip=f"Copy the {section}"),
    ]
    # fmt: on


class ReadingPane(Framed, Vertical, can_focus=True):
    """A text to read, and a line to type a search into."""

    FIND_HINT: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self._facts: Sequence[Content] = ()
        self.lines = SectionView()
        self._find_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.lines

    @property
    def scrolled(self) -> Sequence[SectionView]:
        return (self.lines,)

    def show_lines(
        self, lines: Sequence[Line], *, facts: Sequence[Content] = (), keep_place: bool = False
    ) -> None:
        """Show lines, with facts in the frame. Without lines it is empty."""
        self._facts = facts
        self.set_empty(not lines)
        self.lines.show_sections(lines, tuple, keep_place=keep_place)
        self.update_frame()

    def facts(self) -> Sequence[Content]:
        """The search and its matches, or else facts about the content."""
        search = self.lines.search.facts()
        return [one_line(search, ACCENT)] if search else self._facts

    def searched(self) -> str:
        """The searched text, in words: ``in this view of the request``."""
        return f"in the {self.label.casefold()}"

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("next_match", "stop_finding"):
            return bool(self.lines.sought)
        return super().check_action(action, parameters)

    async def action_find(self) -> None:
        await open_search_line(self, self.lines.sought, self.FIND_HINT)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._find_timer is not None:
            self._find_timer.stop()
        # The whole text is searched, so not for each letter of a word.
        self._find_timer = self.set_timer(FIND_AFTER, partial(self._find, event.value))

    def on_search_field_left(self, event: SearchField.Left) -> None:
        event.stop()
        if self._find_timer is not None:
            self._find_timer.stop()
        # Not the last change, because its message may arrive only after this one.
        self._find(event.text)
        self.screen.set_focus(self)

    def _find(self, text: str) -> None:
        self.lines.find(text)
        self._say_found()

    def action_next_match(self, by: int) -> None:
        self.lines.next_match(by)
        self._say_found()

    def _say_found(self) -> None:
        """Show the result of a search, and its extent, because the frame may have no room
        for it.
        """
        self.update_frame()
        sentence, status = self.lines.search.sentence(self.searched()), status_of(self)
        if sentence:
            status.say(sentence, topic=SEARCH)
        else:
            status.clear(SEARCH)

    def action_stop_finding(self) -> None:
        self._find("")


class SectionPane(ReadingPane):
    """Sections that can be folded, in several views; the names of these are above the sections."""

    DEFAULT_CSS = """
    SectionPane { & #views { height: 1; width: 1fr; margin-bottom: 1; } }
    """

    def __init__(self) -> None:
        super().__init__()
        self._names = SteadyLabel(id="views")

    def compose(self) -> ComposeResult:
        yield self._names
        yield from super().compose()

    def show_sections(
        self,
        notice: Sequence[Line],
        make: Callable[[], Iterable[Section]] = tuple,
        *,
        views: Content = Content(""),  # noqa: B008
        facts: Sequence[Content] = (),
        start: str = "",
        keep_place: bool = False,
        is_same: bool = False,
    ) -> None:
        """Show sections as a `SectionView` does; the names of the views are above them, in the
        frame the facts. With neither names nor a notice it is empty.
        """
        self._facts = facts
        self.set_empty(not notice and not views)
        self.show_names(views)
        self.lines.show_sections(notice, make, start=start, keep_place=keep_place, is_same=is_same)
        self.update_frame()

    def show_names(self, views: Content) -> None:
        """Show the names of the views."""
        self._names.update(views)

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        if self.is_mounted:
            self.lines.set_marked(has_focus)

    # Keys

    def action_go(self, by: int) -> None:
        self.lines.go(by)

    def action_fold(self) -> None:
        self.lines.fold()

    def action_copy(self) -> None:
        text = self.lines.copied()
        copy(self, text, characters_of(text, self.label))
