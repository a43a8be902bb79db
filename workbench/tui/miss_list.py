"""The list of misses: one line each, as narrow or wide as there is room."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.core.digest import short
from workbench.session.misses import Miss
from workbench.session.session import Session
from workbench.tui.glyphs import STATES
from workbench.tui.inert import one_line
from workbench.tui.row_list import RowList
from workbench.tui.styles import LABEL, MUTED

STATE_WIDTH = 10
AGE_WIDTH = 5
MODEL_WIDTH = 14


class MissList(RowList):
    """Every digest that had no fixture, in the order first seen."""

    BINDING_GROUP_TITLE = "Misses"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("full_stop", "toggle_done", "All", tooltip="Show saved, skipped, ignored rows"),
        Binding("f", "toggle_follow", "Follow", show=False, tooltip="Keep the end in view"),
    ]

    def __init__(self, session: Session, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self._kept: str | None = None
        self.with_done = False
        self.follow = False
        self.waiting_text: list[Content] = []

    def on_mount(self) -> None:
        self.set_interval(1, self._tick)

    def update_rows(self) -> None:
        """Show what the session has now. A selected miss that somebody else answered stays until
        it is left.
        """
        misses = self._session.misses(with_done=self.with_done)
        keys = [miss.digest for miss in misses]
        if self.cursor is not None and self._session.state(self.cursor).kind == "answered":
            self._kept = self.cursor
        if self._kept is not None and self._kept not in keys:
            order = {digest: number for number, digest in enumerate(self._session.book.misses)}
            keys = sorted([*keys, self._kept], key=lambda d: order.get(d, 0))
        self.set_keys(keys)
        if self.follow:
            self.scroll_end(animate=False)
        self.update_title()

    def select(self, key: str | None) -> None:
        left, self._kept = self._kept, None if key != self._kept else self._kept
        super().select(key)
        if left is not None and left != key:
            self.update_rows()

    def update_title(self) -> None:
        place = self.cursor_place + 1
        shown = f"Misses [{place}/{len(self.keys):,}]"
        facts = [
            *(["all shown"] if self.with_done else []),
            "by first seen",
            f"follow {'on' if self.follow else 'off'}",
        ]
        self.set_frame(Content.styled(shown, "bold"), Content.styled(" · ".join(facts), MUTED))

    def empty_lines(self) -> list[Content]:
        return self.waiting_text

    def row(self, key: str, *, selected: bool) -> Content:
        miss = self._session.book.misses.get(key)
        if miss is None:
            return Content(short(key))
        state = self._session.state(key)
        look = STATES[state.kind]
        dim = state.is_done
        word = f"{look.glyph} {state.word}"
        flag = "!" if len(miss.dumps) > 1 else " "
        width = self.scrollable_content_region.width
        style = "" if selected else (MUTED if dim else look.style)
        line = Content("> " if selected else "  ") + Content(word.ljust(STATE_WIDTH + 1)).stylize(
            style
        )
        line += Content(f"{flag}{miss.count:>3}  ")
        line += self._model(miss, selected)
        age = Content(_age(miss).rjust(AGE_WIDTH) + " ").stylize("" if selected else MUTED)
        room = width - line.cell_length - age.cell_length - 1
        text = self._text(miss, dim and not selected).truncate(max(room, 0), ellipsis=True)
        return line + text.pad_right(max(room - text.cell_length, 0) + 1) + age

    def _model(self, miss: Miss, selected: bool) -> Content:
        name = one_line(miss.summary.model if miss.summary else "?")
        name = name.truncate(MODEL_WIDTH, ellipsis=True)
        padded = name.pad_right(MODEL_WIDTH - name.cell_length + 1)
        return padded if selected else padded.stylize(LABEL)

    def _text(self, miss: Miss, dim: bool) -> Content:
        if miss.summary is None:
            return Content("(request not in the log)").stylize("italic")
        text = miss.summary.last_user_text or "(no user message)"
        return one_line(text, MUTED if dim else "")

    def _tick(self) -> None:
        """Ages go on: only rows in view, and only while somebody looks."""
        if self.is_on_screen and self.keys:
            top = round(self.scroll_offset.y)
            self.refresh_rows(self.keys[top : top + self.scrollable_content_region.height])

    def action_toggle_done(self) -> None:
        self.with_done = not self.with_done
        self.update_rows()

    def action_toggle_follow(self) -> None:
        self.follow = not self.follow
        self.update_rows()

    def action_move(self, by: int) -> None:
        if by < 0 and self.follow:
            self.follow = False
            self.update_title()
        super().action_move(by)


def _age(miss: Miss) -> str:
    if miss.last_seen is None:
        return ""
    seconds = int((datetime.now() - datetime.fromisoformat(miss.last_seen)).total_seconds())
    if seconds < 0:
        return ""
    for limit, unit, length in ((60, "s", 1), (3600, "m", 60), (86400, "h", 3600)):
        if seconds < limit:
            return f"{seconds // length}{unit}"
    return f"{seconds // 86400}d"
