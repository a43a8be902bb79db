"""Keys act in the order they are typed, however fast they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Final

from textual._callback import invoke
from textual.events import Event, Key, Paste
from textual.message import Message
from textual.widget import Widget

from workbench.tui.prompt_keys import PromptApp

# A widget may be gone with what was to come up from it, or be busy: keys do not wait for ever.
_LOOK_SECONDS: Final = 0.1
_MOST_SECONDS: Final = 3.0


class OrderedKeys(PromptApp):
    """An application in which no key is overtaken by those behind it: behind one that is neither
    text nor acts at once they wait until it has acted. At the start, where nothing can take keys
    yet, all wait.

    Textual gives a key to what has the focus when it arrives; one before it may still be on its way
    up to what moves the focus, or deletes what was typed.
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
        # How often keys were released: what comes for an earlier turn comes too late.
        self._turn = 0

    async def on_event(self, event: Event) -> None:
        if not isinstance(event, Key | Paste):
            await super().on_event(event)
            return
        if event.is_forwarded:
            if self._screen_stack:  # else the application ends
                await super().on_event(event)
            return
        self._waiting.append(event)
        if not self._waits:
            await self.release_keys()
        elif self._carrier is not None and len(self._waiting) == 1:
            self._look_for_carrier(self._turn, monotonic())

    async def type_again(self, keys: Sequence[Key]) -> None:
        # They were typed before those that wait.
        self._waiting[:0] = [Key(key.key, key.character) for key in keys]
        if not self._waits:
            await self.release_keys()

    def _look_for_carrier(self, turn: int, since: float) -> None:
        """See to it that what keys wait for can still come."""
        if turn == self._turn and self._waiting and self._carrier is not None:
            is_gone = not self._carrier.is_attached
            late = is_gone or monotonic() - since > _MOST_SECONDS
            look = self._release_in if late else partial(self._look_for_carrier, since=since)
            self.set_timer(_LOOK_SECONDS, partial(look, turn))

    async def _release_in(self, turn: int) -> None:
        """Release keys, unless they were released since."""
        if turn == self._turn:
            await self.release_keys()

    async def release_keys(self) -> None:
        """Let those that wait act, up to one that might be overtaken."""
        self._waits, self._carrier = False, None
        self._turn += 1
        while self._waiting and not (self._waits or self._is_held) and self._screen_stack:
            typed = self._waiting.pop(0)
            leads = isinstance(typed, Key) and self._leads(typed)
            await self.take_typed(typed)
            if leads:
                self._waits = True
                self.behind_keys(partial(self._release_in, self._turn))
        if self._waits and self._waiting:
            self._look_for_carrier(self._turn, monotonic())

    @property
    def _is_held(self) -> bool:
        return self.holder is not None and self.holder.is_attached

    def _leads(self, key: Key) -> bool:
        """Whether what is typed behind a key might overtake it: unless it acts at once, or is text
        of what has the focus.
        """
        focused = self.focused
        if focused is None or not key.is_printable:
            is_text = False
        else:
            is_text = focused.check_consume_key(key.key, key.character)
        return not is_text and self.prompt_action(key.key) is None

    async def take_typed(self, typed: Key | Paste) -> None:
        """The turn has come of a key, or of a text that is pasted."""
        await super().on_event(typed)

    def behind_keys(self, then: Callable[[], object], *, again: bool = True) -> None:
        """Do something when the keys before it have acted, and what they asked for is done."""
        self._carrier = self.focused or self.screen
        self._carrier.post_message(self.KeysActed(then, again).set_sender(self._carrier))

    async def on_ordered_keys_keys_acted(self, event: KeysActed) -> None:
        if not self._screen_stack:
            return  # the application ends
        if event.again:
            self.behind_keys(event.then, again=False)
        else:
            await invoke(event.then)
