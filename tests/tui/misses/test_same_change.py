"""One change, many files: after one re-key the others with the same change are offered together."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.tui.misses.test_nearest_actions import files, news, on_another_day, store
from tests.tui.running import Running, application
from workbench.core.digest import digest
from workbench.core.text.digests import short

PROMPT = "You are an assistant. Be brief."
NEW_PROMPT = "You are an assistant. Be short and polite."


def unwrapped(running: Running) -> str:
    """What stands on the screen, with single blanks."""
    return " ".join(running.screen_text().split())


def turn(number: int, prompt: str = PROMPT, turns: int = 1) -> dict[str, Any]:
    """The request of a turn; later ones contain the earlier ones."""
    said = [{"role": "system", "content": prompt}]
    for place in range(turns):
        said += [
            {"role": "user", "content": f"question {number}, {place}"},
            {"role": "assistant", "content": "Nothing at all."},
        ]
    return {"model": "gpt-4o-mini", "messages": said[:-1]}


def test_the_others_of_a_suite_are_re_keyed_together_and_taken_back(tmp_path: Path) -> None:
    turns = [(number, count) for number in range(20) for count in (1, 2, 3)]
    olds = [store(tmp_path, turn(n, PROMPT, count)) for n, count in turns]
    asked = [turn(n, NEW_PROMPT, count) for n, count in turns]
    others = [store(tmp_path, turn(n)) for n in range(100, 110)]
    asked += [turn(n, "You are a robot. Be short and polite.") for n in range(100, 110)]
    new = list(map(digest, asked[:60]))
    contents = {path.stem: path.read_bytes() for path in (tmp_path / "fixtures").iterdir()}

    async def flow() -> None:
        async with application(tmp_path, asked, size=(120, 40)) as running:
            await running.until_shown("Nearest 0.")
            await running.press("r")
            await running.until_shown(
                "The request changed: messages[0] system: …assistant. Be brief."
            )
            # Its later turns move with it.
            await running.until(lambda: "2 later turns move with it." in unwrapped(running))
            await running.until_shown("y Move   R Move all 60   esc Back")
            await running.press("y")
            said = "Moved. The same change in 57 others: R moves all. u undoes."
            await running.until(lambda: running.status == said)
            assert files(running) == {*olds[3:], *others, *new[:3]}
            await running.press("R")
            await running.until_shown("Move 57 fixtures with the same change?")
            await running.until_shown("The same change in all:")
            await running.until_shown("…assistant. Be brief. →")
            await running.until_shown(f"{short(olds[3])} → {short(new[3])}")
            await running.press("y")
            said = "Moved 57 fixtures. Their answers are unchanged. u undoes all 57."
            await running.until(lambda: running.status == said)
            assert files(running) == {*new, *others}
            await running.press("R")
            await running.until_shown("No miss has a stale fixture")
            await running.press("u")
            await running.until(lambda: "Undid the move of 57" in running.status)
            assert files(running) == {*olds[3:], *others, *new[:3]}
            await running.press("u")
            await running.until(lambda: files(running) == {*olds, *others})
            now = {path.stem: path.read_bytes() for path in running.fixtures.iterdir()}
            assert now == contents
            # What was taken back is not offered.
            await running.press("R")
            await running.until_shown("No miss has a stale fixture")
            # One question for all of them, and one decision.
            await running.begin_at(asked[0])
            await running.until_shown("Nearest 0.")
            await running.press("r")
            offer = "The same change in 57 others: R moves all."
            await running.until(lambda: offer in unwrapped(running))
            await running.press("R")
            await running.until(lambda: files(running) == {*new, *others})
            await running.until(lambda: "u undoes all 60." in running.status)
            await running.press("u")
            await running.until(lambda: files(running) == {*olds, *others})

    asyncio.run(flow())


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_all_differences_are_seen_before_one_is_re_keyed(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    old = store(tmp_path, turn(1))
    asked = turn(1, NEW_PROMPT) | {"model": "gpt-5"}

    async def flow() -> None:
        async with application(tmp_path, [asked], size=size) as running:
            await running.until_shown("Nearest 0.")
            await running.press("r")
            await running.until_shown("The request changed: messages[0] system: …assistant.")
            if size[1] > 24:  # the pane scrolls
                await running.until_shown("+ gpt-5")
                await running.until_shown("+ You are an assistant. Be short and polite.")
            assert "short and polite; model: gpt-4o-mini → gpt-5." in unwrapped(running)
            await running.press("n")
            await running.until_shown("[Conversation 2]")
            assert files(running) == {old}
            await running.press("r", "y")
            await running.until(lambda: files(running) == {digest(asked)})
            await running.until(lambda: running.status.startswith(f"Moved {short(old)}: "))
            assert "short and polite; model: gpt-4o-mini → gpt-5. u undoes." in running.status

    asyncio.run(flow())


def test_a_no_brings_back_the_stale_ones(tmp_path: Path) -> None:
    stale = store(tmp_path, news(19))
    olds = [store(tmp_path, turn(n)) for n in range(3)]
    asked = [*(turn(n, NEW_PROMPT) for n in range(3)), news(20)]

    async def flow() -> None:
        async with on_another_day(tmp_path, asked, 1, size=(120, 36)) as running:
            await running.parts.show(digest(asked[0]))
            await running.until_shown("Nearest 0.")
            await running.press("r")
            await running.until_shown("The request changed")
            await running.press("y")
            await running.until_shown("The same change in 2 others: R moves all.")
            await running.press("R")
            await running.until_shown("Move 2 fixtures with the same change?")
            # Left, it asks again; a no means it.
            await running.press("escape", "R")
            await running.until_shown("Move 2 fixtures with the same change?")
            await running.press("n", "R")
            await running.until_shown("Move 1 fixture?")
            await running.press("y")
            await running.until(lambda: stale not in files(running))
            assert files(running) == {*olds[1:], digest(asked[0]), digest(news(20))}

    asyncio.run(flow())


def test_later_turns_move_with_the_first_in_one_decision_or_not_at_all(tmp_path: Path) -> None:
    olds = [store(tmp_path, turn(1, f"Today is 2026-11-19. {PROMPT}", n)) for n in (1, 2, 3)]
    asked = turn(1, f"Today is 2026-11-20. {PROMPT}")
    news = [digest(turn(1, f"Today is 2026-11-20. {PROMPT}", n)) for n in (1, 2, 3)]
    folder = tmp_path / "fixtures"

    async def flow() -> None:
        async with on_another_day(tmp_path, [asked], 1) as running:
            await running.until_shown("Nearest ≈")
            await running.press("r")
            changed = "messages[0] system: 2026-11-19 → 2026-11-20"
            said = f"Moved {short(olds[0])} and 2 later turns: {changed}. u undoes."
            await running.until(lambda: files(running) == set(news))
            assert running.status == said
            await running.press("u")
            await running.until(lambda: files(running) == set(olds))
            # One that has a file already stays, and it is said.
            (folder / f"{news[2]}.json").write_bytes((folder / f"{olds[2]}.json").read_bytes())
            await running.until(lambda: news[2] in running.session.store.fixtures())
            await running.until_shown("Nearest ≈")
            await running.press("r")
            stays = f" {short(news[2])} stays: it has a fixture already, so the later turn"
            await running.until(lambda: stays in running.status)
            assert files(running) == {*news, olds[2]}
            await running.press("u")
            await running.until(lambda: files(running) == {*olds, news[2]})

    asyncio.run(flow())
