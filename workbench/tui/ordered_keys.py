"""Keys act in the order they are typed, however fast they come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from textual._callback import invoke
from textual.events import Event, Key, Paste
from textual.message import Message
from textual.widget import Widget

from workbench.tui.prompt_keys import PromptApp

# What is typed behind these is meant for where they lead.
_LEADING: Final = frozenset({"tab", "shift+tab", "ctrl+s"})


class OrderedKeys(PromptApp):
    """An application in which a key that leads elsewhere is not overtaken by those behind it: they
    wait until it has acted. At the start, where nothing can take keys yet, all wait.

    Textual gives a key to what has the focus when it arrives; one before it may still be on its way
    up to what moves the focus.
    """

    @dataclass
    class KeysActed(Message):
        """Came up the way of the keys that were typed before; they have acted.

        Attributes:
            then: what is to be done now.
            again: first it goes once more, since what keys ask for comes the same way behind them.
        """

        then: Callable[[], object]
        again: bool

    def __init__(self) -> None:
        super().__init__()
        self._waits = True
        self._waiting: list[Key | Paste] = []
        # Where the last ``KeysActed`` began: with this widget, it is lost.
        self._carrier: Widget | None = None

    async def on_event(self, event: Event) -> None:
        if not isinstance(event, Key | Paste) or event.is_forwarded:
            await super().on_event(event)
            return
        self._waiting.append(event)
        is_lost = self._carrier is not None and not self._carrier.is_attached
        if is_lost or not self._waits:
            await self.release_keys()

    async def release_keys(self) -> None:
        """Let those that wait act, up to one that leads elsewhere."""
        self._waits, self._carrier = False, None
        while self._waiting and not self._waits:
            typed = self._waiting.pop(0)
            await self.take_typed(typed)
            if isinstance(typed, Key) and typed.key in _LEADING:
                self._waits = True
                self.behind_keys(self.release_keys)

    async def take_typed(self, typed: Key | Paste) -> None:
        """The turn has come of a key, or of a text that is pasted."""
        await super().on_event(typed)

    def behind_keys(self, then: Callable[[], object], *, again: bool = True) -> None:
        """Do something when the keys before it have acted, and what they asked for is done."""
        self._carrier = self.focused or self.screen
        self._carrier.post_message(self.KeysActed(then, again).set_sender(self._carrier))

    async def on_ordered_keys_keys_acted(self, event: KeysActed) -> None:
        if event.again:
            self.behind_keys(event.then, again=False)
        else:
            await invoke(event.then)
