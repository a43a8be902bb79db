"""The Preview pane alone in an application, with what it says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import Label

from tests.tui.drawn import drawn_text, facts_of
from tests.tui.running import ask
from tests.tui.steady import press, until
from workbench.core.digest import digest
from workbench.core.fixture.document import FixtureDocument, new_document
from workbench.core.replies.profile_names import SERVE_PROFILE, ProfileName
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.preview.preview import Preview, preview
from workbench.session.session import Session
from workbench.tui.keys.key_order import KeyOrder
from workbench.tui.lines.line_view import LineView
from workbench.tui.preview.pane import PreviewPane
from workbench.tui.widgets.status import StatusBar

NARROW, WIDE = (70, 24), (130, 24)
JOKE = ask("a joke")
DIGEST = digest(JOKE)
TEXT = "A stub walks into a bar. The barman says: I know that one."


class PaneApp(KeyOrder):
    """One pane, all of the screen."""

    CSS = "StatusBar { display: none; }"

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.pane = PreviewPane(session)
        self.rows_ready.set()
        self.ready.set()

    def compose(self) -> ComposeResult:
        yield self.pane
        yield StatusBar()

    def on_mount(self) -> None:
        self.pane.focus()


class Shown:
    """A pane that shows a draft of a joke."""

    def __init__(self, app: PaneApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.session = app.session
        self.pane = app.pane
        self.envelope = app.pane.query_one("#envelope", LineView)

    async def show(self, content: str = TEXT, **response: Any) -> Preview:
        """Write a draft and show its preview."""
        text = new_document(DIGEST, {"content": content, **response}).text
        self.session.drafting.open(DIGEST).set_text(text)
        made = preview(FixtureDocument(text), DIGEST, JOKE)
        self.pane.show(made, DIGEST)
        await self.pilot.pause()
        return made

    def verify(self) -> None:
        self.pane.verify(DIGEST, JOKE)

    async def press(self, *keys: str) -> None:
        await press(self.pilot, *keys)

    async def until(self, holds: Callable[[], object]) -> None:
        await until(self.pilot, holds)

    @property
    def said(self) -> str:
        """The last thing said."""
        return self.app.query_one(StatusBar).message.plain

    @property
    def views(self) -> str:
        """The names of the views, the chosen one in brackets."""
        return str(self.pane.query_one("#views", Label).render()).strip()

    @property
    def facts(self) -> str:
        return facts_of(self.pane)

    @property
    def screen(self) -> str:
        """What stands on the screen."""
        return drawn_text(self.app.screen)

    async def until_shown(self, text: str) -> None:
        """Wait until a text stands on the screen."""
        try:
            await self.until(lambda: text in self.screen)
        except TimeoutError:
            assert text in self.screen


@asynccontextmanager
async def _shown(
    folder: Path, url: str | None, size: tuple[int, int], profile: ProfileName
) -> AsyncIterator[Shown]:
    store = FixtureStore(folder / "fixtures")
    session = Session(store, StateFolder(folder / ".workbench"), profile=profile)
    session.server.url = url
    app = PaneApp(session)
    with closing(session):
        async with app.run_test(size=size) as pilot:
            yield Shown(app, pilot)


def on_pane(
    folder: Path,
    flow: Callable[[Shown], Any],
    *,
    url: str | None = None,
    size: tuple[int, int] = NARROW,
    profile: ProfileName = SERVE_PROFILE,
) -> None:
    """Run a flow on a pane."""

    async def run() -> None:
        async with _shown(folder, url, size, profile) as shown:
            await flow(shown)

    asyncio.run(run())
