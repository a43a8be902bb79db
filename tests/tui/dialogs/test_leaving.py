"""Every dialog says how to leave it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual.app import App
from textual.command import CommandPalette
from textual.screen import ModalScreen
from textual.theme import BUILTIN_THEMES
from textual.widgets import Static

from tests.tui.drawn import drawn_text
from workbench.io import manual
from workbench.tui.dialogs.dialog import Dialog
from workbench.tui.dialogs.manual import ManualScreen
from workbench.tui.dialogs.picker import Picker
from workbench.tui.dialogs.questions import ExportPicker, KeyQuestion, LineQuestion
from workbench.tui.dialogs.themes import ThemePicker
from workbench.tui.dialogs.welcome import Welcome
from workbench.tui.keys.help_screen import HelpScreen
from workbench.tui.keys.keymap import command_names

DIALOGS: list[Callable[[], ModalScreen[Any]]] = [
    lambda: KeyQuestion("Delete?", {"y": "Delete"}),
    lambda: LineQuestion("Why?", "Ignore"),
    lambda: ExportPicker("0" * 64),
    lambda: Picker("Tool call", "tool", []),
    lambda: ThemePicker(BUILTIN_THEMES.values(), "textual-dark"),
    lambda: HelpScreen(None),
    ManualScreen,
]


def modal_classes(base: type = ModalScreen) -> Iterator[type]:
    kind: type
    for kind in base.__subclasses__():
        yield kind
        yield from modal_classes(kind)


def test_every_dialog_says_how_to_leave_it() -> None:
    async def flow() -> set[type]:
        app: App[None] = App()
        shown = set()
        async with app.run_test(size=(80, 24)) as pilot:
            for make in DIALOGS:
                dialog = make()
                await app.push_screen(dialog)
                await pilot.pause()
                text = drawn_text(app.screen)
                assert "esc" in text, (dialog, text)
                shown.add(type(dialog))
                await app.pop_screen()
        return shown

    command_names()  # imports all modules of the application
    ours = {k for k in modal_classes() if k.__module__.startswith("workbench.")} - {Dialog}
    assert asyncio.run(flow()) == {k for k in ours if not issubclass(k, CommandPalette)}


@pytest.mark.parametrize(
    ("is_demo", "said"),
    [(True, "Its folder is deleted when you quit"), (False, "Esc and Ctrl+Q keep your drafts.")],
)
def test_the_card_says_what_is_kept(*, is_demo: bool, said: str) -> None:
    (card,) = Welcome(is_demo=is_demo).compose()
    assert isinstance(card, Static)
    assert said in str(card.content)


def test_the_card_names_the_key_of_the_preview() -> None:
    (card,) = Welcome().compose()
    assert isinstance(card, Static)
    assert "^b shows what the server will send." in str(card.content)
    assert "| `^b ^]` | `pane.preview` |" in manual.read("keys")
