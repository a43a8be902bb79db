"""Makes ``screenshots/`` from the running application: ``python -m tests.screenshots``.

The real application runs against a real server with the sample traffic; nothing is drawn by hand.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.tui.drawn import drawn_text
from workbench.core.text.digests import short
from workbench.demo.sample_files import install_fixtures, install_records
from workbench.demo.traffic import play
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.log_files import open_tail
from workbench.io.network.ports import listen
from workbench.io.processes.server_process import ChildServer
from workbench.io.state_folder import StateFolder
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.launch import Launch
from workbench.tui.widgets.styles import LIGHT

FOLDER = Path(__file__).parent.parent / "screenshots"
SMALL, MEDIUM, LARGE = (80, 24), (120, 36), (200, 50)

Steps = Callable[[Pilot[None]], Awaitable[None]]
PATIENCE_SECONDS = 30.0


async def _shows(pilot: Pilot[None], text: str) -> None:
    """Wait until ``text`` stands on the screen."""
    until = time.monotonic() + PATIENCE_SECONDS
    while text not in _screen_text(pilot):
        if time.monotonic() > until:
            raise TimeoutError(f"not shown: {text!r}\n{_screen_text(pilot)}")
        await pilot.pause(0.05)


def _screen_text(pilot: Pilot[None]) -> str:
    return drawn_text(pilot.app.screen)


def _app(pilot: Pilot[None]) -> WorkbenchApp:
    assert isinstance(pilot.app, WorkbenchApp)
    return pilot.app


async def _select(pilot: Pilot[None], text: str) -> None:
    """Select the first miss whose user said ``text`` last."""
    app = _app(pilot)
    for digest, miss in app.session.miss_index.misses.items():
        if miss.last_user_text == text:
            app.misses.rows.select(digest)
            await _shows(pilot, short(digest))
            return
    raise LookupError(text)


async def _keys(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await pilot.pause()


async def _type(pilot: Pilot[None], text: str) -> None:
    names = {" ": "space", ".": "full_stop", ",": "comma", '"': "quotation_mark", ":": "colon"}
    names |= {"\n": "enter", "_": "underscore"}
    await _keys(pilot, *(names.get(c, c) for c in text))


async def _write(pilot: Pilot[None], text: str) -> None:
    """Enter the answer and type into its content."""
    await _keys(pilot, "enter")
    await _shows(pilot, "^s Save")
    await _type(pilot, text)


async def list_of_misses(pilot: Pilot[None]) -> None:
    await _shows(pilot, "0 system")


async def writing_text(pilot: Pilot[None]) -> None:
    await _select(pilot, "What's the weather in London?")
    await _write(pilot, "It is 12 degrees in London, with light rain.")
    await _shows(pilot, "draft kept")
    await _shows(pilot, "no problems")


async def writing_a_call(pilot: Pilot[None]) -> None:
    await _select(pilot, "Red wine under 30 for Sunday's lamb, please.")
    await _keys(pilot, "t")
    await _shows(pilot, "type to narrow")
    await _keys(pilot, "enter")
    await _shows(pilot, '"query": ‹')
    await _type(pilot, 'lamb",\n  "colour": "red",\n  "max_price": "thirty"')
    await _shows(pilot, "arguments-schema")
    await _shows(pilot, "draft kept")


PLAN = """{
  "research_steps": ["the first papers", "the patents"],
  "expert_steps": []
}"""


async def structured(pilot: Pilot[None]) -> None:
    await _select(pilot, "Plan in JSON: who invented CRISPR?")
    await _keys(pilot, "enter")
    await _shows(pilot, "research_steps")
    await _keys(pilot, "f7")  # all of the skeleton, to be typed over
    await _type(pilot, PLAN)
    await _shows(pilot, "draft kept")
    await _shows(pilot, "no problems")


async def preview(pilot: Pilot[None]) -> None:
    await writing_text(pilot)
    _app(pilot).misses.panes.focus("preview")
    await _shows(pilot, "put together")


async def verified(pilot: Pilot[None]) -> None:
    await writing_text(pilot)
    await _keys(pilot, "ctrl+s")
    await _shows(pilot, "Saved ")
    await _keys(pilot, "full_stop", "home", "v")
    await _shows(pilot, "✓ stream")


async def light(pilot: Pilot[None]) -> None:
    pilot.app.theme = LIGHT.name
    await structured(pilot)


async def light_list(pilot: Pilot[None]) -> None:
    pilot.app.theme = LIGHT.name
    await list_of_misses(pilot)


async def fixtures(pilot: Pilot[None]) -> None:
    await _keys(pilot, "2")
    await _shows(pilot, "Fixtures [1/")
    await _keys(pilot, "down")


async def help_screen(pilot: Pilot[None]) -> None:
    await _shows(pilot, "0 system")
    await _keys(pilot, "question_mark")
    await _shows(pilot, "esc closes")


async def recordings(pilot: Pilot[None]) -> None:
    await _keys(pilot, "3")
    await _shows(pilot, "nothing in the cellar")
    await _keys(pilot, "enter", "full_stop", "full_stop")
    await _shows(pilot, "At 3 of 3")


async def evals(pilot: Pilot[None]) -> None:
    await _keys(pilot, "4")
    await _shows(pilot, "max_price")


async def from_a_miss_to_the_next(pilot: Pilot[None]) -> AsyncIterator[str]:
    """Go through the frames of the moving picture; yields what each shows."""
    await _select(pilot, "Do I need an umbrella in Lisbon?")
    yield "A test asked for something that has no answer yet"
    await _keys(pilot, "enter")
    await _shows(pilot, "^s Save")
    await _type(pilot, "Yes, it")
    yield "Enter: write the answer"
    await _type(pilot, " will rain in the afternoon.")
    await _shows(pilot, "no problems")
    yield "It is checked while you type"
    _app(pilot).misses.panes.focus("preview")
    await _shows(pilot, "put together")
    yield "Preview: the bytes that the server will send"
    await _keys(pilot, "ctrl+s")
    await _shows(pilot, "Saved ")
    yield "Ctrl+S: saved as a file, and the next request is selected"
    await writing_a_call(pilot)
    yield "t: a call of an offered tool. The wrong argument is marked"
    await _keys(pilot, "f7")
    await _type(pilot, '{"query": "lamb", "colour": "red", "max_price": 30}')
    await _shows(pilot, "no problems")
    yield "Corrected: no problems"
    await _keys(pilot, "ctrl+s")
    await _shows(pilot, "Saved ")
    yield "Ctrl+S: saved. Two fixtures to commit"


SHOTS: list[tuple[str, tuple[int, int], Steps]] = [
    ("misses-80x24", SMALL, list_of_misses),
    ("answer-80x24", SMALL, writing_text),
    ("tool-call-120x36", MEDIUM, writing_a_call),
    ("preview-120x36", MEDIUM, preview),
    ("light-120x36", MEDIUM, light),
    ("light-80x24", SMALL, light_list),
    ("help-120x36", MEDIUM, help_screen),
    ("fixtures-120x36", MEDIUM, fixtures),
    ("recordings-120x36", MEDIUM, recordings),
    ("evals-120x36", MEDIUM, evals),
    ("structured-200x50", LARGE, structured),
    # Saves a fixture, so the last of these.
    ("verified-120x36", MEDIUM, verified),
]


async def shoot(
    url: str, log: Path, folder: Path, shot: tuple[str, tuple[int, int], Steps]
) -> None:
    name, size, steps = shot
    async with application(url, log, folder, name, size) as pilot:
        await steps(pilot)
        picture = await drawn(pilot, f"workbench {pilot.app.size.width}x{pilot.app.size.height}")
    (FOLDER / f"{name}.svg").write_text(picture, encoding="utf-8")


async def film(url: str, log: Path, folder: Path) -> None:
    """Make the moving picture; it saves fixtures."""
    async with application(url, log, folder, "film", MEDIUM) as pilot:
        frames = [await drawn(pilot, title) async for title in from_a_miss_to_the_next(pilot)]
    (FOLDER / "loop.svg").write_text(moving(frames), encoding="utf-8")


@asynccontextmanager
async def application(
    url: str, log: Path, folder: Path, name: str, size: tuple[int, int]
) -> AsyncIterator[Pilot[None]]:
    state_folder = StateFolder(folder / f".{name}")
    install_records(state_folder)
    session = Session(FixtureStore(folder / "fixtures"), state_folder)
    app = WorkbenchApp(session, Launch([open_tail(log)], url, is_own=True))
    async with app.run_test(size=size) as pilot:
        await _shows(pilot, "Misses [1/")
        yield pilot


async def drawn(pilot: Pilot[None], title: str) -> str:
    """The screen as SVG, in a window with a title."""
    app = pilot.app
    for field in (*app.query(TextArea), *app.query(Input)):
        field.cursor_blink = False
    await pilot.pause(0.5)
    return _stable(app.export_screenshot(title=title))


SECONDS_A_FRAME = 2.2


def moving(frames: Sequence[str]) -> str:
    """One SVG that shows pictures of the same size one after the other, for ever. It needs no
    script: GitHub shows none that has one. The first picture lies below the others, so that a
    program that does not know animations shows it.
    """
    head = frames[0][: frames[0].index(">") + 1]
    style = (
        f".later {{ visibility: hidden; animation: {SECONDS_A_FRAME * len(frames):.1f}s step-end "
        f"infinite shown; }} @keyframes shown {{ 0% {{ visibility: visible; }} "
        f"{100 / len(frames):.3f}% {{ visibility: hidden; }} }}"
    )
    first, *others = (_numbered(frame, number) for number, frame in enumerate(frames))
    groups = [
        f'<g class="later" style="animation-delay: {number * SECONDS_A_FRAME:.1f}s">{frame}</g>'
        for number, frame in enumerate(others, 1)
    ]
    return f"{head}<style>{style}</style><g>{first}</g>{''.join(groups)}</svg>\n"


def _numbered(frame: str, number: int) -> str:
    """What is in a picture, with ids and classes of its own."""
    body = frame[frame.index(">") + 1 : frame.rindex("</svg>")]
    return body.replace("terminal", f"terminal{number}")


def _stable(svg: str) -> str:
    """Without what differs from one run to the next: generated ids."""
    return re.sub(r"terminal-\d+", "terminal", svg)


async def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        install_fixtures(folder / "fixtures")
        listener, _ = listen("127.0.0.1", 0)
        log = folder / "mock-llm.log"
        with ChildServer(listener, fixtures=folder / "fixtures", log=log) as server:
            play(server.url)
            for shot in SHOTS:
                await shoot(server.url, log, folder, shot)
                print(FOLDER / f"{shot[0]}.svg")
            await film(server.url, log, folder)
            print(FOLDER / "loop.svg")


if __name__ == "__main__":
    asyncio.run(main())
