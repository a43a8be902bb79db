"""The frame around a pane: a title (left) and facts (right) in the upper border."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Final, Self

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget

from workbench.tui.widgets.styles import FOCUSED_LINE, LINE, MUTED

# Corner, line and blank on each side of the title.
TITLE_MARGIN = 6
# Between the title and the facts: a blank on each side of a line.
FACTS_MARGIN = 3
BETWEEN_FACTS: Final = Content.styled(" · ", MUTED)
BEFORE_FACTS: Final = Content("  ")
# Of the first fact, where there is not enough room for it.
FEWEST_CELLS = 8


def scroll_keys(name: str, page_down: str = "pagedown,space") -> list[BindingType]:
    """Keys that scroll a pane; their ids begin with its ``name``."""
    # fmt: off
    return [
        Binding("up,k", "scroll(-1)", show=False, id=f"{name}.up", tooltip="A line up"),
        Binding("down,j", "scroll(1)", show=False, id=f"{name}.down", tooltip="A line down"),
        Binding("pageup", "page(-1)", show=False, id=f"{name}.page_up", tooltip="A page up"),
        Binding(page_down, "page(1)", show=False, id=f"{name}.page_down", tooltip="A page down"),
        Binding("home,g", "edge(False)", show=False, id=f"{name}.top", tooltip="The beginning"),
        Binding("end,G", "edge(True)", show=False, id=f"{name}.end", tooltip="The end"),
    ]
    # fmt: on


class Framed(Widget):
    """A container whose upper border has a title (left) and facts (right). Facts without room there
    are in the lower border. Without content it has a line instead of its frame.
    """

    # The line without content: what will be shown.
    EMPTY: ClassVar[str] = ""

    # A pane whose fields have the focus takes the whole screen too.
    ALLOW_MAXIMIZE = True
    # It gets the focus when the button is released: in a small terminal it grows with the focus,
    # and what was pressed would be somewhere else by then.
    FOCUS_ON_CLICK = False
    # Marking of text begins at the text, not at the frame.
    ALLOW_SELECT = False

    DEFAULT_CSS = """
    Framed {
        height: 1fr; width: 1fr; border: solid $foreground 20%; padding: 0 1;
        border-title-color: $text-secondary; border-subtitle-color: $foreground-muted;
    }
    Framed.-empty { border: blank; padding: 0 1; & > * { display: none; } }
    Framed.-focused {
        border: heavy $primary; border-title-color: $text-primary; background: $surface;
    }
    """

    # The name of the pane in its frame.
    label = ""
    # In place of that where panes share a place: a button for each.
    tabs = Content("")
    _about = Content("")
    _title = Content("")
    _foot: Sequence[Content | str] = ()
    _foot_text = Content("")
    # The facts that have no room.
    _rest = Content("")
    _is_empty = False
    # The only part that ``refresh`` draws, while it is set.
    _drawn_alone: Region | None = None

    @property
    def entry(self) -> Widget:
        """The widget that gets the focus when this pane is entered."""
        return self

    @property
    def scrolled(self) -> Sequence[Widget]:
        """The widgets that the keys scroll."""
        return ()

    def action_scroll(self, by: int) -> None:
        for view in self.scrolled:
            view.scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        for view in self.scrolled:
            view.scroll_relative(y=by * max(view.size.height - 1, 1), animate=False)

    def action_edge(self, end: bool) -> None:
        for view in self.scrolled:
            if end:
                view.scroll_end(animate=False)
            else:
                view.scroll_home(animate=False)

    def enter(self) -> None:
        """Give the focus to this pane, which is in view."""
        self.screen.set_focus(self.entry)

    @property
    def title_room(self) -> int:
        """How many cells there are for the title and the facts."""
        return self.outer_size.width - TITLE_MARGIN

    def heading(self) -> Content:
        """The title in the frame."""
        return self.tabs or Content.styled(self.label, "bold")

    def facts(self) -> Sequence[Content]:
        """The facts in the frame about the content, the more important first."""
        return ()

    def set_empty(self, is_empty: bool) -> None:
        """Show a line in place of the frame and of all inside, or these again."""
        if is_empty != self._is_empty:
            self._is_empty = is_empty
            self.set_class(is_empty, "-empty")
            self.update_frame()

    def render(self) -> Content:
        return Content.styled(self.EMPTY, MUTED) if self._is_empty else Content("")

    def set_tabs(self, tabs: Content) -> None:
        """Change the buttons of the panes that share a place; none where this one has its own."""
        if not tabs.is_same(self.tabs):
            self.tabs = tabs
            self.update_frame()

    def set_about(self, about: Content) -> None:
        """Change the part before the facts, which identifies the shown item."""
        self._about = about
        self.update_frame()

    def update_frame(self) -> None:
        """Draw the frame for the present width, focus and facts. If there is not enough room, the
        part before the facts is shortened first, then the last facts are left out.
        """
        focused = self.has_focus_within
        # Not ``:focus-within``, which looks up the styles of all widgets inside each time the focus
        # moves from one of them to the next.
        self.set_class(focused, "-focused")
        room = self.title_room
        if room <= 0:
            return
        left = self.heading()
        space = room - left.cell_length - FACTS_MARGIN
        right, self._rest = self._parted(space)
        if self._is_empty and not focused:
            title = Content("")
        elif not right:
            title = left.truncate(room, ellipsis=True)
        else:
            glyph, style = ("━", FOCUSED_LINE) if focused else ("─", LINE)
            line = Content.styled(glyph * (space - right.cell_length + 1), style)
            title = left + Content(" ") + line + Content(" ") + right
        self._update_foot()
        if title != self._title:
            self._title = title
            with self._drawing(0):
                self.border_title = title

    def _parted(self, space: int) -> tuple[Content, Content]:
        """The facts with enough room, and the rest."""
        facts, rest = [fact for fact in self.facts() if fact], list[Content]()
        shown = _joined(self._about, facts)
        if shown.cell_length > space and self._about and facts:
            rest.append(self._about)
            shown = _joined(Content(""), facts)
        while shown.cell_length > space and len(facts) > 1:
            rest.insert(0, facts.pop())
            shown = _joined(Content(""), facts)
        if shown.cell_length > space:
            shown = shown.truncate(space, ellipsis=True) if space >= FEWEST_CELLS else Content("")
        return shown, BETWEEN_FACTS.join(rest)

    def set_foot(self, *parts: Content | str) -> None:
        """Change the text in the lower border: as many of its parts as there is room for; without
        any the facts that have none above.
        """
        self._foot = parts
        self._update_foot()

    def _update_foot(self) -> None:
        text = Content("")
        for part in self._foot:
            if text and text.cell_length + len(part) > self.title_room:
                break
            text += part
        text = text or self._rest.truncate(max(self.title_room, 0), ellipsis=True)
        if not text.is_same(self._foot_text):
            self._foot_text = text
            with self._drawing(self.outer_size.height - 1):
                self.border_subtitle = text or None

    @contextmanager
    def _drawing(self, line: int) -> Iterator[None]:
        """Inside, ``refresh`` draws only this line of the frame. Setting a border title refreshes
        the whole widget: with the rows in it, a key in a list would take twice as long and send the
        terminal fifteen times as much.
        """
        left, top = self.content_offset
        self._drawn_alone = Region(-left, line - top, self.outer_size.width, 1)
        try:
            yield
        finally:
            self._drawn_alone = None

    def refresh(self, *regions: Region, **what: Any) -> Self:
        if self._drawn_alone is not None:
            regions = (self._drawn_alone,)
        return super().refresh(*regions, **what)

    def on_click(self) -> None:
        if self.can_focus and not self.has_focus_within:
            self.screen.set_focus(self)

    def on_resize(self) -> None:
        self.update_frame()
        self._update_foot()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.update_frame()

    def on_descendant_focus(self) -> None:
        self.update_frame()

    def on_descendant_blur(self) -> None:
        self.update_frame()


def _joined(about: Content, facts: Sequence[Content]) -> Content:
    parts = [part for part in (about, BETWEEN_FACTS.join(facts)) if part]
    return BEFORE_FACTS.join(parts)


def tab_line(names: Sequence[str], chosen: int, *, action: str, first: int = 0) -> Content:
    """``[Request] Answer Preview``: the chosen one in brackets, each a button.

    Args:
        action: called with the number of the clicked one.
        first: the number of the first.
    """
    parts = []
    for number, name in enumerate(names, start=first):
        text = f"[{name}]" if number == chosen else name
        style = "bold" if number == chosen else MUTED
        parts.append(Content(text).stylize(f"{style} @click={action}({number})"))
    return Content("  ").join(parts)
