"""``python -m tests.browser [PICTURE]``: the terminal application in a real browser.

It needs Chromium and the extra ``chromium``, and is no part of the test suite. ``textual serve``
runs ``workbench --demo``; Chromium opens its page, without a window, and a fixture is written by
its keyboard. PICTURE gets what the browser shows at the end. Exits with 1 if something does not
come up, with 2 if Chromium or a package is missing.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pyte

if TYPE_CHECKING:
    from playwright.sync_api import Page, WebSocket

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = {"playwright": "playwright", "textual_serve": "textual-serve"}
PATIENCE_SECONDS = 60
ANSWER = "Light rain in London, 12 degrees."


def missing() -> str:
    """What this command needs and is not installed, as a sentence; "" if everything is."""
    if not chromium():
        return "Chromium is not installed: apt-get install chromium, or set CHROMIUM to its path."
    absent = [name for module, name in PACKAGES.items() if not importlib.util.find_spec(module)]
    return f"Not installed: {', '.join(absent)}. pip install '.[chromium]'" if absent else ""


def chromium() -> str | None:
    """The path of the browser."""
    names = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else BROWSERS
    return next(filter(None, map(shutil.which, names)), None)


@contextlib.contextmanager
def served(command: str) -> Iterator[str]:
    """The URL of a page that shows a command, in an empty folder, until the context ends."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    scripts = Path(sysconfig.get_path("scripts"))
    words = [str(scripts / "textual"), "serve", "--host", "127.0.0.1", "--port", str(port), command]
    with tempfile.TemporaryDirectory(prefix="workbench-browser-") as folder:
        environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
        log = Path(folder, "serve.log")
        with (
            log.open("wb") as file,
            subprocess.Popen(
                words, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT
            ) as server,
        ):
            url = f"http://127.0.0.1:{port}"
            try:
                until("a page", log.read_text, lambda: answers(url))
                yield url
            finally:
                server.terminate()


def answers(url: str) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(url).is_success
    return False


def until(
    what: str,
    shown: Callable[[], str],
    holds: Callable[[], bool],
    pause: Callable[[], object] = lambda: time.sleep(0.2),
) -> None:
    """Wait until ``holds()``. Raises AssertionError, with what is ``shown()`` instead."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"there is no {what}; there is:\n{shown()}")
        pause()


class Terminal:
    """The terminal of a page.

    It is drawn on a canvas, so that its text is read from what the server sent to the page.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._screen = pyte.Screen(1, 1)
        self._stream = pyte.ByteStream(self._screen)
        page.on("websocket", self._opened)

    def _opened(self, connection: WebSocket) -> None:
        size = httpx.URL(connection.url).params
        self._screen.resize(int(size["height"]), int(size["width"]))
        connection.on("framereceived", self._receive)

    def _receive(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):  # the others are about the connection
            self._stream.feed(frame)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def shows(self, text: str, *, gone: bool = False) -> None:
        """Wait until ``text`` is on the screen, or is gone. Raises AssertionError."""
        self._page.wait_for_timeout(100)
        what = f"end of {text!r}" if gone else repr(text)
        until(
            what,
            self.text,
            lambda: (text in self.text()) is not gone,
            lambda: self._page.wait_for_timeout(200),
        )


def write_a_fixture(page: Page, terminal: Terminal) -> None:
    """The main job: a miss, its answer, the file. Raises AssertionError."""
    terminal.shows("Misses [1/19]")
    terminal.shows("Welcome")
    before = page.screenshot()
    page.mouse.click(100, 100)  # the terminal has the keyboard then
    page.keyboard.press("Escape")
    terminal.shows("Welcome", gone=True)
    page.keyboard.press("Enter")
    page.keyboard.type(ANSWER)
    terminal.shows(ANSWER)
    page.keyboard.press("Control+s")
    terminal.shows("Saved")
    page.wait_for_timeout(500)  # drawing follows receiving
    if page.screenshot() == before:
        raise AssertionError("the page is not drawn again")


def main() -> int:
    if sentence := missing():
        print(sentence, file=sys.stderr)
        return 2
    from playwright.sync_api import sync_playwright

    with served("workbench --demo") as url, sync_playwright() as playwright:
        # As root, as in containers, Chromium has no sandbox; it opens this one page.
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        terminal = Terminal(page)
        page.goto(url, wait_until="domcontentloaded")
        try:
            write_a_fixture(page, terminal)
        except AssertionError as failure:
            print(failure, file=sys.stderr)
            return 1
        finally:
            for picture in sys.argv[1:2]:
                page.screenshot(path=picture)
            browser.close()
    print(f"ok: a fixture was written in {Path(chromium() or '').name} at {url}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
