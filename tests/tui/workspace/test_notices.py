"""What is said of a save, of errors that are mended, and before a request."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.equivalent_requests import conversation
from tests.session.support import asked, open_session, store, write
from tests.tui.running import WEATHER_TOOL, Running, ask
from tests.tui.steady import resize
from tests.tui.test_app import HELLO, play
from workbench.core.digest import digest
from workbench.core.fixture.request_storage import STORED_REQUEST_LIMIT
from workbench.core.log.lines import Listening
from workbench.core.text.digests import short
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.session import Session
from workbench.tui.workspace.notices import miss_notice, saved_sentence

URL = "http://127.0.0.1:7897"


@pytest.mark.parametrize(
    ("url", "up", "folder", "said"),
    [
        (None, None, "", ""),
        (URL, False, "", " No server runs at 127.0.0.1:7897 now."),
        (URL, True, "", ""),
        (URL, True, "./fixtures", " The server answers with it from now on."),
        (URL, True, "/other", " The server reads /other and will not see it."),
        (URL, True, "{fixtures}", " The server answers with it from now on."),
    ],
)
def test_what_a_save_says_of_the_server_is_true(
    tmp_path: Path, url: str | None, up: bool | None, folder: str, said: str
) -> None:
    session = Session(FixtureStore(tmp_path / "fixtures"), StateFolder(tmp_path / ".workbench"))
    name = digest(HELLO)
    with closing(session):
        session.server.url, session.server.is_up = url, up
        reads = folder.format(fixtures=session.store.folder)
        session.take_log([Listening(URL, reads)] if reads else [])
        assert saved_sentence(session, name) == f"Saved {short(name)}. u undoes.{said}"


def test_a_save_names_a_request_too_large_to_be_stored_and_the_server(tmp_path: Path) -> None:
    large = ask("x" * STORED_REQUEST_LIMIT)

    async def flow(running: Running) -> None:
        running.session.server.url, running.session.server.is_up = URL, False
        await running.press("enter")
        await running.write("short")
        await running.press("ctrl+s")
        await running.until(lambda: running.status.startswith("Saved"))
        assert running.status == (
            f"Saved {short(digest(large))}. u undoes."
            " The fixture leaves out the messages of its request, which has more than 1,024 KiB"
            " (setting store_request_kib)."
            " No server runs at 127.0.0.1:7897 now."
        )

    play(tmp_path, [large], flow, (160, 24))


def test_an_empty_answer_and_a_problem_without_a_certain_fix_are_told_as_such(
    tmp_path: Path,
) -> None:
    async def flow(running: Running) -> None:
        await running.press("enter")
        assert "no problems" not in running.screen_text()
        await running.write("x")
        await running.until_shown("✓ no problems")
        await running.press("backspace", "escape", "t")
        await running.write('London", "days": "two"')
        await running.until_shown("arguments-schema")
        await running.press("ctrl+r")
        await running.until(lambda: running.status == "No automatic fix here.")
        await running.write("x")
        await running.until(lambda: running.status == "")

    play(tmp_path, [ask("x", tools=[WEATHER_TOOL])], flow)


def test_a_sentence_longer_than_the_line_ends_in_an_ellipsis(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        for width in (120, 80):
            await resize(running.pilot, width, 24)
            running.app.status.say("word " * 50)
            # What a save will write gives way.
            await running.until(
                lambda: running.screen_text().splitlines()[-2].rstrip().endswith("…")
            )
            running.app.status.say("short")
            await running.until_shown(f"saves {short(digest(HELLO))}")
        await running.press("i")
        await running.until_shown("⏎ Ignore   esc Back")
        await running.press("escape")
        assert running.session.ignore.reasons == {}
        assert running.app.focused is running.app.misses.rows

    play(tmp_path, [HELLO], flow)


def test_a_miss_that_an_equivalent_fixture_answers_says_which_and_what_differs(
    tmp_path: Path,
) -> None:
    stored, sent = conversation("stub"), conversation("openai")
    with closing(open_session(tmp_path)) as session:
        (miss,) = asked(session, sent)
        fixture = store(session, stored)
        session.stale.catch_up()
        said = "\n".join(line.plain for line in miss_notice(session, miss).nearest)
    assert said == (
        f"≡ Equivalent to {short(fixture)}, which answers it; written differently: "
        'messages[1] assistant: "" → null, '
        "messages[1].tool_calls[0].index assistant is only in the fixture's request: 0."
    )


@pytest.mark.parametrize(
    ("text", "said", "marked"),
    [
        (f'["{"x" * 36}",!{"y" * 70}', f'    1 …{"x" * 28}",!{"y" * 60}…', "!"),
        ('{\n  "北京": !}', '    2   "北京": !}', "!"),
        ('{"a": 1,', '    1 {"a": 1, ', " "),
    ],
)
def test_the_line_of_an_error_is_shown_with_its_place_marked(
    tmp_path: Path, text: str, said: str, marked: str
) -> None:
    with closing(open_session(tmp_path)) as session:
        (miss,) = asked(session, HELLO)
        write(session, miss, text)
        line = miss_notice(session, miss).lines[1]
    places = [line.plain[s.start : s.end] for s in line.spans if "reverse" in str(s.style)]
    assert (line.plain, places) == (said, [marked])
