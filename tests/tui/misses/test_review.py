"""The review flow and being at home: many at once, help, hints, plain characters, the editor."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from textual.widgets import Markdown

from tests.forked import FORKED
from tests.reference import short_log
from tests.terminal import Terminal
from tests.tui.running import Running, play_each
from tests.tui.test_app import HELLO, PLAN, WORLD, play
from workbench.core.digest import digest
from workbench.session.misses.states import open_misses
from workbench.session.preview.preview import Assessment
from workbench.tui.keys.help_screen import HelpScreen, help_lines

# The colour of panes in the light theme, as the terminal gets it.
LIGHT_GROUND = b"48;2;252;253;255"


def test_marked_drafts_are_saved_together_and_taken_back_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def flow(running: Running) -> None:
        asks = running.shows("Save 3 marked drafts? 1 has errors and stays.")
        await running.press("enter")
        await running.write("one")
        await running.press("escape", "m", "enter")
        await running.write("two")
        await running.press("escape", "m", "enter")
        await running.write('{"steps": 1}')
        await running.press("escape", "m", "A")
        await running.until(asks)
        await running.press("x")
        assert not running.fixtures.exists()
        assess = running.session.drafting.assess

        def assess_and_escape(digest: str) -> Assessment:
            running.app.misses.action_leave()
            return assess(digest)

        with monkeypatch.context() as patched:
            patched.setattr(running.session.drafting, "assess", assess_and_escape)
            await running.press("A")
            await running.until(lambda: running.status == "Stopped: nothing was saved.")
        await running.press("A")
        await running.until(asks)
        await running.press("y")
        await running.until(lambda: running.status == "2 saved, 1 left. u undoes.")
        assert running.saved(HELLO)["response"]["content"] == "one"
        assert [m.digest for m in open_misses(running.session)] == [digest(PLAN)]
        await running.press("u")
        said = "Undid 2 decisions. Their drafts are back."
        await running.until(lambda: running.status == said)
        assert list(running.fixtures.glob("*.json")) == []

    play(tmp_path, [HELLO, WORLD, PLAN], flow)


def test_rows_that_nobody_wrote_are_left_out_of_accepting_the_marked(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("m", "M")
        await running.until(lambda: running.status == "1 mark cleared.")
        await running.press("home", "m", "m", "m", "A")
        await running.until_shown("Nothing is written in the marked rows. Enter writes.")
        await running.press("home", "enter")
        await running.write("one")
        await running.press("escape", "A")
        await running.until_shown("Save 1 marked draft? 2 are not written and stay.")
        await running.press("y")
        await running.until(lambda: running.status == "1 saved, 2 left. u undoes.")
        assert [file.stem for file in running.fixtures.glob("*.json")] == [digest(HELLO)]
        assert running.session.decisions.marked == {digest(WORLD), digest(PLAN)}
        await running.press("M")
        await running.begin_at(PLAN)
        await running.press("enter")
        await running.write('{"steps": 1}')
        await running.press("escape", "m", "A")
        await running.until_shown("Save 1 marked draft? 1 has errors and stays.")
        await running.press("y")
        await running.until(lambda: running.status == "Nothing was saved, 1 left.")

    play(tmp_path, [HELLO, WORLD, PLAN], flow)


async def help_teaches_the_flow_and_lists_the_keys_of_the_pane(running: Running) -> None:
    await running.press("question_mark")
    assert isinstance(running.app.screen, HelpScreen)
    text = running.screen_text()
    assert "writes the answer; ^t adds a tool call" in text
    assert "Filter: show only what matches" in text
    await running.press("pagedown")
    await running.write("bytes")  # typing finds
    await running.until(lambda: "Filter: show" not in running.screen_text())
    await running.until_shown("the bytes that the server will")
    await running.press("escape")
    assert running.app.focused is running.app.misses.rows
    await see_the_manual(running)
    assert running.app.focused is running.app.misses.rows


async def see_the_manual(running: Running) -> None:
    """Open it, go to a page by the list and on by a link, and come back."""
    await running.press("question_mark", "question_mark")
    await running.until_shown("PAGE")
    await running.press("down", "enter")
    await running.until_shown("Install")
    page = running.app.screen.query_one(Markdown)
    page.post_message(Markdown.LinkClicked(page, "stale.md#when-the-model-changes"))
    await running.until_shown("Fixtures that stop matching")
    await running.press("escape")


async def help_begins_with_the_row_and_the_pane_that_has_the_focus(running: Running) -> None:
    focused = running.app.focused
    now = running.app.main.key_bar.now
    lines = [line.plain for line in help_lines(running.app, focused, now=now)]
    first = lines.index("In this pane")
    assert focused is not None
    assert lines[: first - 1] == (focused.HELP or "").splitlines()
    assert lines[first + 1 : first + 4] == [
        "  Enter     Edit the answer; of an unsupported request, show what to change",
        "  t         Add a tool call and edit it",
        "  d         Show or hide the nearest fixture, or what the draft changes",
    ]
    assert sum("Add a tool call and edit" in line for line in lines) == 1
    lines = [line.plain for line in help_lines(running.app, focused, "", 60)]
    first = lines.index("  Y         Take file: discard the draft for the text of the")
    assert lines[first + 1] == "            file (asks)"
    lines = [line.plain for line in help_lines(running.app, focused)]
    titles = ["List of misses", "Misses", "Request", "Answer", "Preview", "Everywhere"]
    assert [line for line in lines if line in titles] == [*titles[:2], "Everywhere"]
    assert "  s         Skip or unskip" in lines
    assert not any("Scroll" in line for line in lines), "what Textual's widgets do is no help"
    lines = [line.plain for line in help_lines(running.app, running.parts.view.request)]
    assert [line for line in lines if line in titles][:2] == ["Request", "Misses"]
    lines = [line.plain for line in help_lines(running.app, focused, "skip")]
    assert [line for line in lines if line in titles] == ["Misses"]
    room = 33  # lines of the help at 120x36
    for pane in running.app.screen.query("Framed, RowList"):
        lines = [line.plain for line in help_lines(running.app, pane)]
        about = (pane.HELP or "").splitlines()
        assert len(lines[len(about) :]) <= 2 * room, pane  # the keys, below what the pane is for
        assert not pane.BINDING_GROUP_TITLE or lines[: len(about)] == about
    flow_title = "From a miss to its fixture"
    assert flow_title in [line.plain for line in help_lines(running.app, focused)]
    await running.press("3")
    lines = [line.plain for line in help_lines(running.app, running.app.focused)]
    assert lines[0].startswith("What applications sent and received")
    assert flow_title not in lines


async def plain_characters_draw_ascii_frames(running: Running) -> None:
    running.app.action_toggle_plain()
    await running.until_shown("> o ")
    drawn = running.screen_text()
    assert drawn.isascii(), sorted({c for c in drawn if not c.isascii()})


def test_help_and_plain_characters(tmp_path: Path) -> None:
    play_each(
        tmp_path,
        plain_characters_draw_ascii_frames,
        help_teaches_the_flow_and_lists_the_keys_of_the_pane,
        help_begins_with_the_row_and_the_pane_that_has_the_focus,
        size=(80, 24),
    )


def test_structured_content_keeps_its_lines_where_asked(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("enter", "f7")
        await running.write('{"steps": ["a",\n"b"]}')
        await running.app.misses.run_command("answer.keep_lines")
        assert running.status == "[x] keep line breaks: JSON is saved as you type it."
        await running.press("ctrl+s")
        assert "\n" in running.saved(PLAN)["response"]["content"]

    play(tmp_path, [PLAN], flow, (120, 36))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite.log").write_bytes(short_log())
    return tmp_path


def write_editor(path: Path, script: str) -> None:
    """An ``$EDITOR`` that does what a shell script says."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_the_field_is_edited_in_the_editor_of_the_person_whose_failures_change_nothing(
    folder: Path,
) -> None:
    editor = folder / "editor.sh"
    write_editor(editor, 'printf "%s\\n" "from outside" > "$1"')
    command = [*FORKED, "--log", "suite.log", "--fixtures", "canned"]
    with Terminal(command, folder=folder, environment={"EDITOR": str(editor)}) as terminal:
        terminal.wait_for("Misses [1/7]")
        terminal.press("enter")
        terminal.wait_for("[Answer]")
        terminal.type("before")
        terminal.wait_for("before")
        terminal.press("^o")
        terminal.wait_for("from outside")
        # Ctrl+C in a terminal goes to the editor and to who waits for it, who ignores it (bit 2).
        ignored = "grep -q 'SigIgn:.*[2367abef]$' /proc/$PPID/status"
        interrupted = f"until {ignored}; do :; done; kill -INT $PPID"
        write_editor(editor, f'echo spoiled > "$1"; rm "$0"; {interrupted}; exit 3')
        terminal.press("^o")
        terminal.wait_for("editor.sh ended with 3: the draft is unchanged.")
        terminal.press("^o")
        terminal.wait_for("editor.sh cannot be run: no such file or directory.")
        terminal.type(" and inside")
        terminal.wait_for("from outside and inside")
        terminal.press("^s")
        terminal.wait_for("Saved c62fad60235a")
    [file] = (folder / "canned").glob("*.json")
    assert '"content": "from outside and inside"' in file.read_text("utf-8")


def test_the_welcome_card_leaves_the_first_key_its_act_and_comes_once_and_a_chosen_theme_stays(
    folder: Path,
) -> None:
    command = [*FORKED, "--log", "suite.log", "--fixtures", "canned"]
    home: dict[str, str | None] = {
        "XDG_DATA_HOME": str(folder / "data"),
        "HOME": str(folder),
        "TEXTUAL_THEME": None,
    }
    with Terminal(command, folder=folder, environment=home) as terminal:
        terminal.wait_for("The list shows every request that had no fixture.")
        terminal.wait_for("Misses [1/7]")
        terminal.wait_for("⏎ Edit")  # the keys are seen below the card
        terminal.press("down")
        terminal.wait_for(lambda text: "Misses [2/7]" in text and "Welcome" not in text)
        terminal.press("^p")
        terminal.wait_for("Search for commands")
        terminal.type("Theme")
        terminal.wait_for("Other colours")
        terminal.press("enter")
        terminal.wait_for("type to narrow")
        terminal.type("workbench-light")
        terminal.wait_for(lambda text: text.count("workbench-light") == 2)
        terminal.wait_for(lambda _: LIGHT_GROUND in terminal.raw)
        terminal.press("enter")
        terminal.wait_for(lambda text: "type to narrow" not in text)
        terminal.press("q")
        assert terminal.wait_for_end() == 0
    with Terminal(command, folder=folder, environment=home) as terminal:
        terminal.wait_for("Misses [1/7]")
        assert "Welcome" not in terminal.text
        assert LIGHT_GROUND in terminal.raw


def test_sample_traffic_is_offered_where_nothing_is_there_yet(tmp_path: Path) -> None:
    with Terminal(FORKED, columns=120, rows=36, folder=tmp_path) as terminal:
        terminal.wait_for("shows sample traffic")
        terminal.press("T")
        terminal.wait_for("weather in London?")


def test_another_log_is_opened_from_the_empty_list(folder: Path) -> None:
    command = [*FORKED, "--log", "not-there.log", "--fixtures", "canned"]
    with Terminal(command, columns=120, rows=36, folder=folder) as terminal:
        terminal.wait_for("not-there.log does not exist yet")
        terminal.press("O")
        terminal.wait_for("Which log?")
        terminal.type("suite.log\r")
        terminal.wait_for("Misses [1/7]")
