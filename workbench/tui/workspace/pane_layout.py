"""Which panes of a tab are in view, by the size of the terminal, and which has the focus."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from textual.containers import Container
from textual.content import Content
from textual.dom import DOMNode
from textual.widget import Widget

from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.frame import Framed, tab_line

# The name of the list among the panes.
LIST = "list"
MEDIUM = (110, 32)
LARGE = (160, 40)
# Below this height a pane needs the room of the list.
LOW = 24
# Below this height the head of a list gives its line to the rows.
HEAD_FROM = 20
# Rows of a list in a small terminal: with the focus, and while another pane has it.
ROWS, ROWS_BESIDE = 7, 3
# Of the height of a larger terminal.
LIST_SHARE = 3
# Lines above and below a tab: header, status line, keys.
AROUND = 3
# A list of one line, and its frame.
FEWEST_LINES = 3
# Of the panes below a list without rows, which are empty.
EMPTY_PANES = 3


class PaneRow(Container):
    """The panes below a list: one above the other, or side by side if there is room."""


class PaneLayout:
    """The list of a tab, and the panes below it.

    As many panes are shown as there is room for. The style sheet divides the room by the class
    ``-small``, ``-medium`` or ``-large`` of the tab. In a medium terminal all but the first share a
    place, in a small one all of them.

    Args:
        panes: by their names, in the order of the Tab key; the list, if there is one, is first.
        is_stacked: True if all below the list share a place in every terminal.
    """

    def __init__(self, tab: Widget, panes: Mapping[str, Framed], *, is_stacked: bool) -> None:
        self._tab = tab
        self._is_stacked = is_stacked
        self._left_out: frozenset[str] = frozenset()
        self._panes = panes
        first = panes.get(LIST)
        self._list = first if isinstance(first, FilteredList) else None
        # Of the panes below the list.
        self._names = [name for name in panes if name != LIST]
        self._shown = next(iter(self._names), "")
        self._in_list = LIST in panes
        # The widgets that had the focus last, in this pane and in the previous one.
        self._focus: Widget | None = None
        self._left: Widget | None = None

    def add(self, panes: Mapping[str, Framed]) -> None:
        """Set the panes below the list."""
        first = {name: pane for name, pane in self._panes.items() if name == LIST}
        self._panes = {**first, **panes}
        self._names = list(panes)
        self._shown = self._names[0]
        self.fit()

    def leave_out(self, *names: str) -> None:
        """Remove empty panes from the tab, so that the others get their room. Panes that were left
        out before are shown again.
        """
        if self._left_out != (left_out := frozenset(names)):
            had_focus = self._focused() in left_out
            self._left_out = left_out
            if self._tab.is_attached:  # else it is fitted when it is attached
                self.fit()
                self.fit_list()
            if had_focus:
                self.focus_first()

    @property
    def _present(self) -> list[str]:
        """The names of the panes that are not left out."""
        return [name for name in self._panes if name not in self._left_out]

    @property
    def first(self) -> Framed:
        """The list, or the only pane."""
        return self._panes[self._present[0]]

    @property
    def all(self) -> Collection[Framed]:
        """The list and the panes below it, in their order."""
        return self._panes.values()

    @property
    def below(self) -> Sequence[Framed]:
        """The panes below the list."""
        return [self._panes[name] for name in self._names]

    def fit(self) -> None:
        """Show as many panes as the terminal has room for; the frames of those that share a
        place have a button for each.
        """
        width, height = self._tab.app.size
        large = width >= LARGE[0] and height >= LARGE[1]
        medium = not large and width >= MEDIUM[0] and height >= MEDIUM[1]
        small = not large and not medium
        classes = {"-large": large, "-medium": medium, "-small": small}
        classes["-only-list"] = self._is_list_alone
        if any(self._tab.has_class(name) != is_set for name, is_set in classes.items()):
            # All at once: each change looks up the styles of everything in the tab.
            for name, is_set in classes.items():
                self._tab.set_class(is_set, name, update=False)
            if self._tab.is_attached:
                self._tab.update_node_styles()
        names = [name for name in self._names if name not in self._left_out]
        if self._list is not None:
            has_room = self._in_list or height >= LOW
            self._list.display = has_room and LIST not in self._left_out
        # Those that share one place, in which the last of them is shown when it was chosen.
        sharing = names if small or self._is_stacked else names[1:] if medium else []
        in_view = self._shown if self._shown in sharing else next(iter(sharing), None)
        tabs, first = Content(""), len(self._names) - len(sharing)
        if in_view is not None and len(sharing) > 1:
            labels = [self._panes[name].label for name in sharing]
            chosen = self._names.index(in_view)
            tabs = tab_line(labels, chosen, action="screen.choose_pane", first=first)
        for name in self._names:
            is_seen = name not in sharing or name == in_view
            self._panes[name].display = is_seen and name not in self._left_out
            self._panes[name].set_tabs(tabs if name in sharing else Content(""))

    def fit_list(self) -> None:
        """Give the list the lines that it has, as far as the panes below can do without them.

        Not with each change of its rows: while you read or type in another pane, nothing
        moves.
        """
        rows = self._list
        if rows is not None:
            rows.entry.lines.set_head(self._tab.app.size.height >= HEAD_FROM)
            is_zoomed = self._tab.screen.maximized is rows
            lines = min(max(rows.lines_wanted, FEWEST_LINES), self._most_lines(rows))
            rows.styles.height = "1fr" if is_zoomed or self._is_list_alone else lines

    @property
    def _is_list_alone(self) -> bool:
        """True if the panes below the list are left out."""
        return bool(self._left_out) and self._left_out.issuperset(self._names)

    def _most_lines(self, rows: FilteredList) -> int:
        height = self._tab.app.size.height
        if not rows.entry.keys and rows.entry.is_read:
            return height - AROUND - EMPTY_PANES
        if not self._tab.has_class("-small"):
            return height // LIST_SHARE
        most = ROWS if self._in_list else ROWS_BESIDE
        return min(rows.lines_of(most), (height - AROUND) // 2)

    def rows_changed(self) -> None:
        """The list has more lines, or fewer. Its height follows while nothing but its rows can have
        the attention; not while its filter is typed.
        """
        if self._in_list and self._list is not None:
            focused = self._tab.screen.focused
            if focused in (None, self._list.entry):
                self.fit_list()

    def focus_came(self, widget: Widget) -> None:
        """A widget of the tab got the focus: bring its pane into view."""
        around = widget.ancestors_with_self
        if self._focus is not None and self._pane_of(self._focus) != self._pane_of(widget):
            self._left = self._focus
        self._focus = widget
        entered = next((name for name in self._names if self._panes[name] in around), self._shown)
        in_list = self._list in around
        self.show(entered, in_list=in_list)
        if in_list:
            self.fit_list()

    def show(self, name: str, *, in_list: bool | None = None) -> None:
        """Bring a pane into view.

        Args:
            in_list: True if the list has the focus, or will have it; None for no change.
        """
        screen = self._tab.screen
        if in_list is None and screen.maximized not in (None, self._panes[name]):
            screen.minimize()
        self._shown = name
        if in_list not in (None, self._in_list):
            self._in_list = bool(in_list)
            self.fit_list()
        self.fit()

    def is_in_view(self, name: str) -> bool:
        """True if a pane is on the screen."""
        is_sharing = self._is_stacked or self._tab.has_class("-small")
        is_hidden = name in self._left_out or (is_sharing and self._shown != name)
        return not is_hidden and self._tab.screen.maximized in (None, self._panes[name])

    def focus(self, name: str) -> None:
        """Bring a pane into view and go into it, or into the list."""
        if name in self._left_out:
            name = self._present[0]
        # Before the focus moves, so that both are laid out at once.
        self.show(self._shown if name == LIST else name, in_list=name == LIST)
        self._panes[name].enter()

    def focus_number(self, number: int) -> None:
        """Go into a pane by its place among those below the list."""
        self.focus(self._names[number])

    def focus_first(self) -> None:
        """Go into the list, or into the only pane."""
        self.focus(self._present[0])

    def take_focus(self) -> None:
        """Give the focus to the pane that had it last."""
        self.focus(LIST if self._in_list else self._shown)

    def _focused(self) -> str | None:
        """The name of the pane that has the focus, or something in it."""
        focused = self._tab.screen.focused if self._tab.is_attached else None
        return None if focused is None else self._pane_of(focused)

    def focus_next(self, by: int, *, skipped: str = "") -> None:
        """Go to the next pane, or the previous one, wrapping around through the list.

        Args:
            skipped: the name of a pane that cannot be entered now.
        """
        names, focused = [name for name in self._present if name != skipped], self._focused()
        place = names.index(focused) if focused in names else 0
        self.focus(names[(place + by) % len(names)])

    def turn_to(self, name: str) -> None:
        """Go into a pane; from there, back to where the focus was in another one. The zoom goes
        along.
        """
        left, screen = self._left, self._tab.screen
        is_zoomed = screen.maximized is not None
        screen.minimize()
        if self._focused() != name:
            goal = name
        else:
            goal = (left and self._pane_of(left)) or next(iter(self._panes))
        self.focus(goal)
        if left is not None and goal != name and left.is_attached and left.focusable:
            screen.set_focus(left)
        if is_zoomed:
            screen.maximize(self._panes[goal], container=False)

    def _pane_of(self, widget: Widget) -> str | None:
        """The name of the pane that a widget is in."""
        around = widget.ancestors_with_self
        return next((name for name, pane in self._panes.items() if pane in around), None)

    def bring_into_view(self, owner: DOMNode) -> None:
        """Go to the pane of a command, unless something in it has the focus."""
        for name, pane in self._panes.items():
            if owner in (pane, pane.entry) and not pane.has_focus_within:
                self.focus(name)

    def toggle_zoom(self) -> None:
        """Give the focused pane the whole screen, or all panes their places again."""
        focused, screen = self._focused(), self._tab.screen
        if focused is not None and screen.maximized is None:
            screen.maximize(self._panes[focused], container=False)
        else:
            screen.minimize()
