"""Keys typed behind Enter, before the answer is there to take them."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key

from tests.tui.running import WEATHER_TOOL, Running, ask
from tests.tui.test_app import play
from workbench.core.digest import digest
from workbench.session import editing

PAYLOADS = [ask("hello"), ask("again")]


@pytest.mark.parametrize(("before", "row"), [([], 0), (["down"], 1), (["down", "up"], 0)])
@pytest.mark.parametrize("text", ["see", "aims to be"])
def test_they_are_typed_into_the_answer(
    tmp_path: Path, text: str, before: list[str], row: int
) -> None:
    """All of them: where the list gets them ``s`` skips, ``e`` opens an editor, ``a`` saves. Those
    before Enter act before it.
    """

    async def flow(running: Running) -> None:
        def written() -> str:
            running.app.misses.write_back()
            return editing.content(running.session.draft(digest(PAYLOADS[row])).document)

        for character in [*before, "enter", *text]:
            running.app.post_message(Key("space" if character == " " else character, character))
        await running.until(lambda: written() == text)
        assert not running.session.decisions.skipped

    play(tmp_path, PAYLOADS, flow)


def test_they_are_typed_into_a_new_call(tmp_path: Path) -> None:
    payload = ask("weather?", tools=[WEATHER_TOOL])

    async def flow(running: Running) -> None:
        def arguments() -> list[str]:
            running.app.misses.write_back()
            document = running.session.draft(digest(payload)).document
            return [call.arguments for call in editing.calls(document)]

        for character in "tLisbon":
            running.app.post_message(Key(character, character))
        await running.until(lambda: arguments() == ['{"city": "Lisbon"}'])

    play(tmp_path, [payload], flow)
