"""Keys act in the order they are typed, however fast they are typed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from textual.app import App
from textual.binding import ActiveBinding
from textual.events import Event, Key, Paste
from textual.widget import Widget

# The longest chain of messages from a key to its effect: Key, Input.Changed, Highlighted.
_ROUNDS: Final = 3
# The longest time a key waits for those before it.
_MOST_SECONDS: Final = 3.0
# Seconds between checks for a failed start.
_LOOK_SECONDS: Final = 0.1


class KeyOrder(App[None]):
    """An application in which every key acts on the result of the keys before it.

    Textual sends a key to the focused widget and runs its binding when the event has bubbled back
    to the application. By then the next key may have been sent to the same widget, although the
    first one moves the focus or opens a dialog. Here the binding runs before the next key is read:
    it waits for the text typed before it, and the next key waits for what it started.

    Text goes straight to its field. A ``priority`` binding of the focused widget itself, such as
    the arrow keys of a list, runs at once and waits for nothing.

    Attributes:
        rows_ready: set when the first list has its rows: the keys that run at once can act.
        ready: set when all keys can act; those typed before wait.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rows_ready = asyncio.Event()
        self.ready = asyncio.Event()
        # True if a key that ran at once may have an effect that is not drawn yet.
        self._is_ahead = False

    async def on_event(self, event: Event) -> None:
        if event.is_forwarded or not isinstance(event, Key | Paste):
            await super().on_event(event)
            return
        await self._wait_for(self.rows_ready)
        if not self.ready.is_set() and not self._can_move(event):
            await self._wait_for(self.ready)
        if self.screen_stack and self.return_code is None:  # else the application ends
            if isinstance(event, Paste) or self._is_text(event):
                await super().on_event(event)
            else:
                await self._act(event)

    def _is_text(self, key: Key) -> bool:
        """True if the focused field accepts a key as text."""
        field = self.focused
        if field is None or not field.check_consume_key(key.key, key.character):
            return False
        # Fields are loaded after the first rows are drawn.
        from textual.widgets import Input, TextArea

        return isinstance(field, Input | TextArea)

    def _can_move(self, event: Key | Paste) -> bool:
        """True if an early key only moves in the first list, which needs only the list's rows."""
        if isinstance(event, Paste) or not self.screen_stack:
            return False
        return self._is_hasty(self.screen.active_bindings.get(event.key))

    def _is_hasty(self, active: ActiveBinding | None) -> bool:
        """True if a binding runs at once: a ``priority`` binding of the focused widget itself."""
        return active is not None and active.binding.priority and active.node is self.focused

    async def _act(self, key: Key) -> None:
        active = self.screen.active_bindings.get(key.key)
        is_hasty = self._is_hasty(active)
        if is_hasty:
            self._is_ahead = True
        else:
            await self.settle()
        if active is None or not await self.run_action(active.binding.action, active.node):
            await super().on_event(key)
        if not is_hasty:
            await self.settle()

    async def settle(self) -> None:
        """Wait until the focused widget and those around it have handled their messages, and the
        messages posted by that.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_MOST_SECONDS):
                if self._is_ahead:
                    self._is_ahead = False
                    await called((self.focused or self.screen).call_after_refresh)
                for _ in range(_ROUNDS):
                    innermost = self.focused or self.screen
                    for widget in innermost.ancestors_with_self:
                        if isinstance(widget, Widget):
                            await called(widget.call_later)

    async def _wait_for(self, state: asyncio.Event) -> None:
        while not state.is_set() and self.return_code is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(state.wait(), _LOOK_SECONDS)


async def called(schedule: Callable[[Callable[[], None]], bool]) -> None:
    """Wait until a callback is called; not if it cannot be scheduled any more."""
    done = asyncio.Event()
    if schedule(done.set):
        await done.wait()
