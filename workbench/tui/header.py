"""The header, with tabs and facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from textual.content import Content

from workbench.core.text.wording import brief_time
from workbench.io.files.path_text import end_of, shown
from workbench.session.log_status import LogStatus
from workbench.session.session import Session
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.labels import Buttons
from workbench.tui.widgets.styles import ACCENT, HELD, MUTED, SUCCESS, WARNING
from workbench.tui.widgets.suite_text import suite_text

Fact = Literal["server", "fixtures", "profile", "hold", "held", "log", "log name"]
Facts = Mapping[Fact, Content]

# The default fixtures folder, which is not shown.
USUAL_FOLDER: Final = Path("fixtures")
# How much of the path of another one is shown.
PATH_WIDTH: Final = 20
# Blanks before a fact.
FACT_MARGIN: Final = 3
# The most important first.
_RANKS: Final[Sequence[Fact]] = (
    "held", "hold", "profile", "log", "fixtures", "log name", "server",
)  # fmt: skip
# The separator before a fact that continues another one, and that other fact.
_JOINED: Final[Mapping[Fact, tuple[Fact, str]]] = {
    "held": ("hold", " · "),
    "log name": ("log", " "),
}


class TabLabel(NamedTuple):
    """A tab in the header.

    Attributes:
        key: its number.
        items: how many it lists that are of interest; None for no number.
    """

    key: str
    id: str
    title: str
    items: int | None = None


class TopBar(Buttons):
    """``[1 Misses 108]  2 Fixtures 4      server up  ● live mock-llm.log``. With the state of a
    suite in a narrow terminal: ``[1 Misses 108]  2  5 Suite ● running 00:07``.
    """

    DEFAULT_CSS = """
    TopBar { height: 1; width: 1fr; background: $panel; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._tabs: list[TabLabel] = []
        self._chosen = ""
        self._state = Content("")
        self._facts: Facts = {}

    def show_tabs(
        self,
        tabs: list[TabLabel],
        chosen: str,
        state: Content = Content(""),  # noqa: B008
    ) -> None:
        """Show tabs, ``chosen`` by its id, and the state after the last one."""
        if (tabs, chosen, state) != (self._tabs, self._chosen, self._state):
            self._tabs, self._chosen, self._state = tabs, chosen, state
            self.refresh()

    def show_facts(self, facts: Facts) -> None:
        """Show facts on the right, in this order; where room is short, the less important are left
        out.
        """
        if facts != self._facts:
            self._facts = facts
            self.refresh()

    def render(self) -> Content:
        first: Fact = next((name for name in _RANKS if name in self._facts), "profile")
        # Beside a suite, which stub replies is less important than the names of tabs.
        kept: tuple[Fact, ...] = (first,) if self._state else (first, "profile")
        left = self._left(is_short=False)
        if left.cell_length + self._width_of(*kept) > self.size.width:
            left = self._left(is_short=True)
        left = left.truncate(self.size.width - self._width_of(first), ellipsis=True)
        shown = self._shown(kept, self.size.width - left.cell_length)
        facts = Content("")
        for name, fact in self._facts.items():
            if name in shown:
                before, between = _JOINED.get(name, (None, ""))
                facts += Content(between if before in shown else " " * FACT_MARGIN) + fact
        room = self.size.width - left.cell_length - facts.cell_length
        return left + Content(" " * max(room - 1, 0)) + facts if facts else left

    def _width_of(self, *names: Fact) -> int:
        """How many columns facts need."""
        facts = (self._facts[name] for name in set(names) if name in self._facts)
        return sum(fact.cell_length + FACT_MARGIN for fact in facts)

    def _shown(self, kept: Iterable[Fact], room: int) -> set[Fact]:
        """The facts that there is room for, those that are ``kept`` first."""
        shown: set[Fact] = set()
        for name in (*kept, *_RANKS):
            if name in self._facts and self._width_of(*shown, name) <= room:
                shown.add(name)
        return shown

    def _left(self, *, is_short: bool) -> Content:
        """The tabs; if short, of tabs that are not shown only the number, but the name before the
        state of a suite.
        """
        parts = []
        for tab in self._tabs:
            has_state = bool(self._state) and tab is self._tabs[-1]
            text = Content.styled(tab.key, ACCENT)
            if tab.id == self._chosen or has_state or not is_short:
                text = Content.styled(f"{tab.key} ", ACCENT) + Content(tab.title)
                if tab.items is not None:
                    text += Content.styled(f" {tab.items:,}", MUTED)
            if tab.id == self._chosen:
                text = Content.styled(f"[{text.plain}]", "bold $text-primary")
            parts.append(text.stylize(f"@click=app.show_tab('{tab.id}')"))
        return Content(" ") + Content("  ").join(parts) + self._state


def suite_state(session: Session) -> Content:
    """The state of the suite, for its tab."""
    suite = session.suite
    if suite is None or not suite.state:
        return Content("")
    return Content(" ") + suite_text(suite, suite.state, has_glyph=suite.is_running)


def facts_of(
    session: Session, logs: Sequence[LogStatus], *, is_wide: bool
) -> Iterable[tuple[Fact, Content]]:
    """The facts about a session, in the order on the screen.

    Args:
        is_wide: there is room for the profile, with its source.
    """
    if session.server.url is not None:
        word = {None: "", True: " up", False: " down"}[session.server.is_up]
        style = SUCCESS if session.server.is_up else WARNING
        where = one_line(session.server.host)
        yield "server", Content.styled("server ", MUTED) + where + Content.styled(word, style)
    if shown(session.store.folder) != USUAL_FOLDER:
        folder = one_line(end_of(session.store.folder, PATH_WIDTH))
        yield "fixtures", Content.styled("fixtures ", MUTED) + folder
    label = source = ""
    if is_wide:
        label = "profile "
        source = session.server.profile_note
    profile = Content.styled(label, MUTED) + Content(session.server.profile)
    yield "profile", profile + Content.styled(source, MUTED)
    hold, held = session.server.hold, len(session.held)
    if hold is not None and hold.possible:
        style = HELD if held else SUCCESS if hold.enabled else MUTED
        on = f"on {brief_time(hold.timeout_s)}"
        yield "hold", Content.styled(f"hold {on if hold.enabled else 'off'}", style)
        if held:
            yield "held", Content.styled(f"{held:,} held", HELD)
    for log in logs[:1]:
        more = f" +{len(logs) - 1}" if len(logs) > 1 else ""
        live = log.state == "live"
        dot = Content.styled("●" if live else "○", SUCCESS if live else WARNING)
        yield "log", dot + Content(f" {log.state}")
        yield "log name", one_line(log.name + more)
