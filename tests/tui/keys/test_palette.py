"""The palette: every command by its name, with its key, on the pane it is for."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from textual.command import CommandList, CommandPalette
from textual.content import Content

from tests.tui.running import WEATHER_TOOL, Running, application, play_each
from tests.tui.test_app import HELLO
from workbench.core.digest import digest
from workbench.core.text.digests import short
from workbench.tui.keys.help_screen import help_lines
from workbench.tui.keys.palette import TITLE_WIDTH, groups

WANTED = [
    ("^s F2", "Save"),
    ("v", "Verify"),
    ("/", "Filter"),
    ("x", "Export"),
    ("o", "Sort"),
    ("^n F8", "Next problem"),
    ("s", "Skip"),
    ("u", "Undo"),
    ("[", "Previous view"),
    ("2", "Fixtures"),
    ("", "Plain characters"),
    ("", "Theme"),
    ("", "Open a log"),
    ("", "Start a server"),
    ("", "Sample traffic"),
    ("? F1", "Help"),
]


def is_open(running: Running) -> bool:
    return isinstance(running.app.screen, CommandPalette)


async def choose(running: Running, words: str) -> None:
    """Open the palette, narrow it to one command and take that."""
    await running.press("ctrl+p")
    await running.until(lambda: is_open(running))
    await running.write(words)
    # As it was typed, and in what was found.
    await running.until(lambda: running.screen_text().lower().count(words) > 1)
    await running.press("enter")
    await running.until(lambda: not is_open(running))
    await running.pilot.pause()


async def a_command_of_another_pane_brings_it_into_view_and_zoom_takes_that(
    running: Running,
) -> None:
    await choose(running, "apply the automatic")
    await running.until(lambda: running.parts.view.answer.has_focus_within)
    await running.until(lambda: running.status == "No problems.")
    await running.press("f1")  # which is left for it
    await choose(running, "zoom")
    await running.until(lambda: running.app.screen.maximized is running.parts.view.answer)
    await running.press("ctrl+s")
    assert running.saved()["response"]["content"] == ""
    # Its letter is text where the cursor is.
    await running.press("enter")
    await running.write("typed")
    await choose(running, "unskip")
    await running.until(lambda: running.session.decisions.skipped)
    [skipped] = running.session.decisions.skipped
    assert skipped != digest(running.asked)
    assert running.status.startswith(f"Skipped {short(skipped)}")


def test_the_help_has_every_key_of_a_command_and_those_of_the_project(tmp_path: Path) -> None:
    async def flow() -> None:
        keys = {"miss.skip": "b", "answer.save": "ctrl+y,f12"}
        async with application(tmp_path, [HELLO], keys=keys) as running:
            assert "b Skip" in running.screen_text().splitlines()[-1]
            help_text = [line.plain for line in help_lines(running.app, running.app.focused)]
            for key, said in [
                ("b", "Skip or unskip"),
                ("^y F12", "Save, or go to the first error"),
                ("t ^t F3", "Add a tool call and edit it"),
                ("]", "The next view of the request"),
            ]:
                assert f"  {key:<9} {said}" in help_text

    asyncio.run(flow())


async def a_command_of_another_tab_shows_that_tab_and_what_cannot_be_done_says_why(
    running: Running,
) -> None:
    await running.press("3")
    await running.until(lambda: running.app.main.shown == "recordings")
    await choose(running, "turn hold on")
    await running.until(lambda: running.app.main.shown == "misses")
    await running.until(lambda: running.status.startswith("There is no server."))
    await running.press("enter")
    await choose(running, "remove the call")
    await running.until(lambda: running.status == "The cursor is in no tool call.")


async def the_best_match_comes_first_and_what_would_do_nothing_is_left_out(
    running: Running,
) -> None:
    for typed, first in [
        ("export", "Export"),
        ("ver", "Verify"),
        ("F2", "Save"),
        ("pv", "Previous view"),
        ("whole screen", "Zoom"),
    ]:
        await running.press("ctrl+p")
        await running.until(lambda: is_open(running))
        commands = running.app.screen.query_one(CommandList)
        await running.until(lambda: len(commands.options) > 60)  # noqa: B023
        lines = [option.prompt for option in commands.options]
        assert not any(str(line).startswith("Clear filter") for line in lines)
        assert isinstance(lines[0], Content)
        [name] = [span for span in lines[0].spans if span.style == "bold"]
        assert name.end == TITLE_WIDTH
        await running.write(typed)
        best = partial(_first_line, commands)
        await running.until(lambda: best().startswith(f"{first} "))  # noqa: B023
        await running.press("escape")


def _first_line(commands: CommandList) -> str:
    return str(commands.options[0].prompt) if commands.options else ""


async def every_command_has_its_name_and_key_and_paging_before_they_are_drawn_is_no_error(
    running: Running,
) -> None:
    of_groups = list(groups(running.app, running.app.focused))
    offered = [c for _, of_group in of_groups for c in of_group]
    assert len(offered) > 60
    without_keys = {
        "Keep line breaks",
        "Details",
        "Serve across days",
        "First request",
        "Same as later",
    }
    assert {c.name for c in offered if not c.keys} == without_keys
    shown = set(running.app.screen.active_bindings)
    known = {key for c in offered for key in c.owner._bindings.key_to_bindings}
    assert {key for key in shown if key.isalpha()} <= known
    titles = [title for title, _ in of_groups]
    assert titles[-3:] == ["Fixtures", "Recordings", "Evals"]
    assert len(titles) == len(set(titles))
    assert len([c for c in offered if c.action_name == "zoom"]) == 1
    await running.press("ctrl+p")
    await running.until(lambda: is_open(running))
    commands = running.app.screen.query_one(CommandList)
    await running.until(lambda: len(commands.options) > 60)
    lines = [str(option.prompt) for option in commands.options]
    for key, name in WANTED:
        assert any(line.startswith(f"{name:<21} {key}".strip()) for line in lines), name
    await running.until(lambda: commands.highlighted is not None)
    commands._index_to_line.clear()  # as it is before the first layout
    await running.press("pagedown")
    # Those with the words in their name come first.
    await running.write("save")
    await running.until_shown("Save the draft")
    screen = running.screen_text()
    assert screen.index("Save, or go to") < screen.index("Save the draft")
    await running.press("escape")
    assert not is_open(running)


def test_commands_are_offered_and_chosen(tmp_path: Path) -> None:
    play_each(
        tmp_path,
        the_best_match_comes_first_and_what_would_do_nothing_is_left_out,
        every_command_has_its_name_and_key_and_paging_before_they_are_drawn_is_no_error,
        a_command_of_another_pane_brings_it_into_view_and_zoom_takes_that,
        a_command_of_another_tab_shows_that_tab_and_what_cannot_be_done_says_why,
        tools=[WEATHER_TOOL],
    )
