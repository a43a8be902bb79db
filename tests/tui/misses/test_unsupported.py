"""Requests that the server does not speak, in the application: seen, explained, skipped, and never
taken for a digest.
"""

from __future__ import annotations

from pathlib import Path

from tests.server.running import RunningServer
from tests.tui.misses.test_hold_actions import in_a_loop, server, watching
from tests.tui.running import SIZE, Running, ask, in_turn
from tests.tui.steady import resize
from tests.tui.test_app import play
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.log.lines import unsupported_line
from workbench.session.misses.states import open_unsupported

__all__ = ["server"]  # a pytest fixture, for its name

HELLO = ask("hello")
NO_ANSWER = "No fixture can answer this. Enter shows what to change; s skips it."


async def log(running: Running, path: str) -> None:
    """The suite asks for ``path``, and the application lists it."""
    asked = UnsupportedRequest.of("POST", path)
    assert asked is not None
    with (running.folder / "mock-llm.log").open("a") as file:
        file.write(unsupported_line(asked))
    await running.until(lambda: str(asked) in running.session.miss_index.unsupported)
    await running.pilot.pause()


async def listed(running: Running) -> None:
    """A request for a legacy completion is listed, and its row selected."""
    await log(running, "/v1/completions")
    await running.press("end")
    await running.until(lambda: running.app.misses.subject is None)


async def the_row_and_the_request_pane_say_what_to_switch(running: Running) -> None:
    await listed(running)
    await resize(running.pilot, 120, 36)
    await running.until_shown("The answer is written here, if a fixture can give it.")
    for size in (SIZE, (80, 24)):
        await resize(running.pilot, *size)
        await running.until(running.shows("POST /v1/completions  this server does not support"))
        await running.until_shown("openai-agents:")
    assert running.app.misses.rows.list_query.open_count == 2
    await running.press("enter")
    assert running.app.focused is running.parts.view.request
    assert running.status.startswith("The request pane shows what to change.")
    await running.press("escape", "up")
    await running.until(lambda: running.app.misses.subject is not None)
    assert "openai-agents:" not in running.screen_text()
    await running.press("slash")
    await running.write("state:unsupported")
    await running.until(lambda: len(running.app.misses.rows.keys) == 1)
    await running.until_shown("POST /v1/completions")


async def keys_that_need_a_digest_say_why_they_cannot_act_and_s_skips_and_shows_again(
    running: Running,
) -> None:
    await running.press("escape", "end")
    await running.until(lambda: running.app.misses.subject is None)
    for key in ("a", "ctrl+s", "v", "r", "d", "c", "t", "i", "m", "y", "e", "w", "p", "U"):
        running.app.status.say("")
        await running.press(key)
        await running.until(lambda: running.status == NO_ANSWER)
        assert running.session.drafts.drafts.keys() <= running.session.miss_index.misses.keys()
        assert not running.session.decisions.marked
    await running.press("s")
    assert running.status == "Skipped POST /v1/completions. u undoes; . shows it."
    await running.until(lambda: running.app.misses.rows.list_query.open_count == 1)
    assert open_unsupported(running.session) == []
    await running.press("full_stop", "end", "s")
    assert running.status == "POST /v1/completions is open again."
    (row,) = open_unsupported(running.session)
    assert row.name == "POST /v1/completions"


def test_it_is_explained_and_skipped(tmp_path: Path) -> None:
    flow = in_turn(
        the_row_and_the_request_pane_say_what_to_switch,
        keys_that_need_a_digest_say_why_they_cannot_act_and_s_skips_and_shows_again,
    )
    play(tmp_path, [HELLO], flow)
    assert not (tmp_path / "fixtures").exists()


@in_a_loop
async def test_a_server_without_a_log_tells_of_it(server: RunningServer) -> None:
    server.post("/v1/rerank", {})  # before the application starts
    async with watching(server) as running:
        await running.until_shown("⊘ unsupported    POST /v1/rerank")
        server.post("/v1/rerank", {})
        await running.until_shown("⊘ unsupported ×2 POST /v1/rerank")
        assert not running.session.held
