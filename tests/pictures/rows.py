"""Every state of a row, in one list."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Final

from tests.equivalent_requests import conversation
from tests.pictures.taking import picture
from tests.session.support import answer_with, chat, second_turn
from tests.tui.running import WEATHER_TOOL, Running, application, ask
from tests.tui.steady import resize
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.control_api import HeldRequest
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.lines import asked_line, miss_lines, unsupported_line
from workbench.session.misses.held import EndedWait

WIDTHS: Final = (60, 80, 110, 140, 160)
HEIGHT: Final = 29

Payload = dict[str, Any]
_NAMES: Final = (
    "missing", "asked three times", "several requests", "held", "held, below a minute", "a draft",
    "a draft with errors", "fallback sent", "marked", "broken", "skipped", "ignored", "saved",
    "verified", "elsewhere",
)  # fmt: skip
SAID: Final = {name: ask(f"{name}: what does the row say?") for name in _NAMES}
STALE, DAY_BEFORE = ask("It is 2026-11-20."), ask("It is 2026-11-19.")
FOLDED: Final = (chat("folded"), second_turn("folded", "Rain."))
# The turn quotes another answer than the fixture of its first turn has.
OUTDATED: Final = {
    **second_turn("elsewhere: what does the row say?", "Snow."),
    "model": "gpt-4o-mini",
}
BLOCKED: Final = second_turn("blocked")
NO_DUMP: Final = ask("not in the log")
LISTED: Final = [
    *SAID.values(),
    SAID["asked three times"],
    SAID["asked three times"],
    {**SAID["several requests"], "tools": [WEATHER_TOOL]},
    STALE,
    *FOLDED,
    OUTDATED,
    BLOCKED,
    conversation("openai"),
]


async def rows(folder: Path) -> dict[str, str]:
    _write_fixtures(folder / "fixtures")
    taken = {}
    async with application(folder, LISTED, size=(160, HEIGHT)) as running:
        await _add_to_log(running)
        await _decide(running)
        for width in WIDTHS:
            await resize(running.pilot, width, HEIGHT)
            taken[f"rows-{width}"] = await picture(running)
    return taken


def _write_fixtures(folder: Path) -> None:
    folder.mkdir()
    stored = ((SAID["elsewhere"], "Rain."), (DAY_BEFORE, "Rain."), (conversation("stub"), "Rain."))
    for payload, content in stored:
        name = digest(payload)
        text = new_document(name, {"content": content}, request=payload).text
        (folder / f"{name}.json").write_text(text, "utf-8")
    (folder / f"{digest(SAID['broken'])}.json").write_text("{")


async def _add_to_log(running: Running) -> None:
    """What has no request that could be listed, and the tests that asked."""
    session, legacy = running.session, UnsupportedRequest.of("POST", "/v1/completions")
    assert legacy is not None
    with (running.folder / "mock-llm.log").open("a") as log:
        log.write(miss_lines(digest(NO_DUMP), NO_DUMP).splitlines(keepends=True)[0])
        log.write(asked_line("test_it.py::test_of_a_row", digest(SAID["missing"])))
        log.write(unsupported_line(legacy))
    await running.until(lambda: session.miss_index.unsupported)
    await running.until(lambda: session.stale.is_stale(digest(STALE)))


async def _decide(running: Running) -> None:
    session, misses = running.session, running.app.misses
    names = {name: digest(payload) for name, payload in SAID.items()}
    await running.press("full_stop")
    await running.begin_at(FOLDED[0])
    await running.press("left")
    await running.begin_at(SAID["marked"])
    await running.press("m")
    for name in ("a draft", "a draft with errors", "saved", "verified"):
        answer_with(session, names[name], "Rain.")
    session.drafting.open(names["a draft with errors"]).set_text("{")
    session.drafting.assess(names["a draft with errors"])
    for name in ("saved", "verified"):
        session.save(names[name])
    stamp = session.store.stamp(names["verified"])
    assert stamp is not None
    session.miss_fixtures.verified[names["verified"]] = stamp
    session.decisions.skip(names["skipped"])
    session.decisions.ignore(names["ignored"], "not now")
    ended = EndedWait("fallback", datetime(2026, 3, 1, 4, 24), 300)
    session.held.ended[names["fallback sent"]] = ended
    waiting = ((names["held"], 252.0), (names["held, below a minute"], 41.0))
    requests = [HeldRequest(name, name, 65, left, False, 1) for name, left in waiting]
    misses.held_changed(session.held.take(requests))
    misses.update_rows(frozenset(names.values()))
    await running.begin_at(SAID["missing"])
    await running.press("z")
    await running.until_shown("✓ saved")
