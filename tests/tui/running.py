"""The application under Pilot, on a folder of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypeVar

from textual.events import Key
from textual.pilot import Pilot
from textual.widget import Widget

from tests.tui.drawn import drawn_text
from tests.tui.steady import post, press, until
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.log_files import open_tail
from workbench.io.state_folder import StateFolder
from workbench.session.drafts.store import Draft
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.fixture.tab import FixtureParts, FixturesTab
from workbench.tui.launch import Launch
from workbench.tui.misses.miss_parts import MissParts
from workbench.tui.tabs import FIXTURES, TabEntry
from workbench.tui.workspace.tab import Tab

Kind = TypeVar("Kind", bound=Tab)

# As wide as two panes, and low: drawing is most of what a test of a screen costs.
SIZE = (120, 24)
WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather for a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer", "default": 1},
            },
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}


def ask(text: str, **more: Any) -> dict[str, Any]:
    """A request that says ``text``."""
    return {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}], **more}


class Running:
    """The application, its pilot and its folder.

    Attributes:
        asked: the request of the miss that a flow is about.
    """

    def __init__(self, app: WorkbenchApp, pilot: Pilot[None], folder: Path) -> None:
        self.app = app
        self.pilot = pilot
        self.folder = folder
        self.session = app.session
        self.asked: dict[str, Any] = {}

    @property
    def fixtures(self) -> Path:
        return self.folder / "fixtures"

    @property
    def parts(self) -> MissParts:
        """What acts on the selected miss."""
        parts = self.app.misses.parts
        assert parts is not None
        return parts

    def tab(self, entry: TabEntry, kind: type[Kind]) -> Kind:
        tab = self.app.main.tab(entry)
        assert isinstance(tab, kind)
        return tab

    @property
    def fixtures_tab(self) -> FixturesTab:
        return self.tab(FIXTURES, FixturesTab)

    @property
    def fixture_parts(self) -> FixtureParts:
        """What acts on the selected fixture."""
        parts = self.fixtures_tab.parts
        assert parts is not None
        return parts

    @property
    def status(self) -> str:
        return self.app.status.message.plain

    @property
    def draft(self) -> Draft:
        """The draft of the request asked."""
        return self.session.drafting.open(digest(self.asked))

    def saved(self, asked: dict[str, Any] | None = None) -> dict[str, Any]:
        """The fixture of a request; without one, of the request asked."""
        text = (self.fixtures / f"{digest(asked or self.asked)}.json").read_text("utf-8")
        return json.loads(text)  # type: ignore[no-any-return]

    async def press(self, *keys: str) -> None:
        await press(self.pilot, *keys)

    async def write(self, text: str) -> None:
        """Type into the focused field, without a pause between the keys."""
        assert self.app.focused is not None
        names = ("enter" if character == "\n" else character for character in text)
        await post(self.pilot, *map(Key, names, text))
        await self.pilot.pause()

    async def begin_at(self, asked: dict[str, Any]) -> None:
        """Go back to the list of misses, to the row of a request."""
        self.asked, misses = asked, self.app.misses
        if not misses.rows.has_focus:
            await self.press("escape", *["1"] * (self.app.main.shown != "misses"))
        misses.rows.select(digest(asked))
        await self.until(lambda: misses.subject == digest(asked) and misses.rows.has_focus)
        await self.pilot.pause()

    async def until(self, holds: Callable[[], object], timeout: float = 60) -> None:
        """Wait for ``holds``, and until what goes with it is done and drawn."""
        await until(self.pilot, holds, timeout)

    def screen_text(self) -> str:
        """What stands on the screen."""
        return drawn_text(self.app.screen)

    def shows(self, text: str) -> Callable[[], bool]:
        return lambda: text in self.screen_text()

    async def until_shown(self, text: str) -> None:
        """Wait until a text stands on the screen."""
        try:
            await self.until(self.shows(text))
        except TimeoutError:
            assert text in self.screen_text()

    def displayed(self, kind: type[Widget]) -> bool:
        """Whether the first widget of a kind in the shown tab has a place on the screen."""
        widget = self.app.misses.query_one(kind)
        return widget.is_on_screen and widget.region.area > 0


@asynccontextmanager
async def application(
    folder: Path,
    payloads: Sequence[dict[str, Any]],
    *,
    size: tuple[int, int] = SIZE,
    server_url: str | None = None,
    upstream_url: str = "",
    notes: Sequence[str] = (),
    keys: Mapping[str, str] | None = None,
) -> AsyncIterator[Running]:
    """Runs the application on a log of misses of ``payloads``, all of them listed."""
    log = folder / "mock-llm.log"
    log.write_bytes("".join(miss_lines(digest(p), p) for p in payloads).encode())
    session = Session(FixtureStore(folder / "fixtures"), StateFolder(folder / ".workbench"))
    tail = open_tail(log)
    launch = Launch(
        [tail], server_url, notes=list(notes), keys=keys or {}, upstream_url=upstream_url
    )
    app = WorkbenchApp(session, launch)
    with closing(tail), closing(session.spool):
        async with _running(app, session, folder, payloads, size) as running:
            yield running


Flow = Callable[[Running], Awaitable[None]]


def in_turn(*flows: Flow) -> Flow:
    """A flow of several that follow one another, in one start of the application."""

    async def flow(running: Running) -> None:
        for one in flows:
            await one(running)

    return flow


def play_each(folder: Path, *flows: Flow, size: tuple[int, int] = SIZE, **more: Any) -> None:
    """Run flows one after the other in one application, whose start takes as long as many of them.
    Each begins in the list, at a miss of its own, ``running.asked``: its name, and ``more``.
    """
    payloads = [ask(flow.__name__, **more) for flow in flows]

    async def run() -> None:
        async with application(folder, payloads, size=size) as running:
            for flow, payload in zip(flows, payloads, strict=True):
                await running.begin_at(payload)
                await flow(running)

    asyncio.run(run())


@asynccontextmanager
async def _running(
    app: WorkbenchApp,
    session: Session,
    folder: Path,
    payloads: Sequence[dict[str, Any]],
    size: tuple[int, int],
) -> AsyncIterator[Running]:
    # Gliding from place to place draws each place between.
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        running = Running(app, pilot, folder)
        expected = {digest(p) for p in payloads}
        await running.until(
            lambda: (
                app.ready.is_set()
                and expected <= set(session.miss_index.misses)
                and (not expected or app.misses.subject is not None)
            )
        )
        await pilot.pause()
        yield running
