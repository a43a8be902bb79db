"""Keys typed right behind one that enters something, which takes a moment to be there."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.timer import Timer
from textual.widget import Widget

from workbench.tui.prompt_keys import PromptApp

# They wait no longer, where Enter led nowhere.
_MOST_SECONDS = 3.0
_LOOK_SECONDS = 0.02


class EarlyKeys(Widget):
    """A widget whose Enter leads elsewhere. Keys behind it are meant for what it leads to: they
    wait until that has the focus.

    Attributes:
        LEADING: the keys that do.
    """

    LEADING: ClassVar[frozenset[str]] = frozenset({"enter"})

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._is_entered = False
        self._early: list[events.Key] = []
        self._longest_wait: Timer | None = None

    @property
    def leads_on(self) -> bool:
        """Whether such a key leads anywhere now."""
        raise NotImplementedError

    @property
    def keys_wait(self) -> bool:
        """Whether what is typed now waits."""
        return self._is_entered

    def hold_keys(self) -> None:
        """What is typed from now on waits for ``release_keys``."""
        self._is_entered = True
        if self._longest_wait is not None:
            self._longest_wait.stop()
        self._longest_wait = self.set_timer(_MOST_SECONDS, self._release)

    def hold_all_keys(self) -> None:
        """So does what is typed elsewhere."""
        self.hold_keys()
        self._application.holder = self

    async def release_keys(self) -> None:
        """Give the keys that wait to what has the focus, as soon as anything has: what is only
        being shown takes none.
        """
        if self._early and self.app.focused is None:
            self.set_timer(_LOOK_SECONDS, self.release_keys)
        else:
            await self._release()

    async def _release(self) -> None:
        self._is_entered = False
        early, self._early = self._early, []
        if self._application.holder is self:
            self._application.holder = None
        await self._application.type_again(early)

    async def on_key(self, event: events.Key) -> None:
        if self._is_entered:
            event.stop()
            self._early.append(event)
            self._application.holder = self
        elif not self.has_focus:  # on its way here while the focus went on
            event.stop()
            await self._application.type_again([event])
        elif event.key in self.LEADING and self.leads_on:
            self.hold_keys()  # it does what it does behind the keys before it

    @property
    def _application(self) -> PromptApp:
        app = self.app
        assert isinstance(app, PromptApp)
        return app
