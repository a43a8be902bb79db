"""Keys that act at once.

Textual gives a key to the focused widget, lets it bubble from task to task up to the application,
and there looks in every widget from the focus up for a binding. In a list, that round takes longer
than drawing the row that the key leads to. A key need not make it when no other key is on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import sleep
from typing import ClassVar

from textual import actions
from textual.app import App
from textual.events import Event, Focus, Key
from textual.widget import Widget

_TURN_SECONDS = 1e-5


class PromptKeys(Widget):
    """A widget with actions that can do without the round.

    Attributes:
        PROMPT: their names. None waits for anything.
    """

    PROMPT: ClassVar[frozenset[str]] = frozenset()

    _prompt_actions: dict[str, Callable[[], None]] | None = None

    def prompt_action(self, key: str) -> Callable[[], None] | None:
        """What a key does here that can be done at once; None where it has to make the round."""
        if self._prompt_actions is None:
            self._prompt_actions = {
                key: partial(getattr(self, f"action_{name}"), *arguments)
                for key, active in self.screen.active_bindings.items()
                if active.node is self
                for _, name, arguments in [actions.parse(active.binding.action)]
                if name in self.PROMPT
            }
        return self._prompt_actions.get(key)

    def on_focus(self, _: Focus) -> None:
        self._prompt_actions = None  # bindings around it may be others now


class PromptApp(App[None]):
    """An application whose focused widget may act at once.

    Keys keep their order: while one is on its round, those behind it make it too.

    Attributes:
        holder: who has keys that act before those that come now.
    """

    holder: Widget | None = None

    _on_round: Key | None = None

    def post_display_hook(self) -> None:
        # What was drawn goes out by a thread, which gets its turn now and not when the next
        # computation has taken its time.
        if not self.is_headless:
            sleep(_TURN_SECONDS)

    async def on_event(self, event: Event) -> None:
        if not isinstance(event, Key):
            await super().on_event(event)
        elif event.is_forwarded:  # it comes back
            await super().on_event(event)
            if event is self._on_round:
                self._on_round = None
        elif self._on_round is None and (act := self.prompt_action(event.key)):
            act()
        else:
            # What is consumed on its way does not come back: then the next one makes the round too.
            self._on_round = event
            await super().on_event(event)

    async def type_again(self, keys: Sequence[Key]) -> None:
        """Give keys, which came to somebody for whom they are not, to what has the focus now."""
        for key in keys:
            await self.on_event(Key(key.key, key.character))

    def prompt_action(self, key: str) -> Callable[[], None] | None:
        """What a key does at once in what has the focus; None where it has to make the round."""
        focused = self.focused
        return focused.prompt_action(key) if isinstance(focused, PromptKeys) else None
