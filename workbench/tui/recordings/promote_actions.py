"""Promoting: the reply of an exchange becomes the fixture of its request."""

from __future__ import annotations

from collections.abc import Callable

from workbench.core.digest import short
from workbench.core.fixture.recorded import NoFixtureError
from workbench.core.recordings.exchanges import Exchange
from workbench.io.fixture.reply_saver import HasFixtureError
from workbench.io.fixture.store import FileStamp
from workbench.session.answers.promotion import promote_recorded
from workbench.tui.workspace.tab import Tab


class PromoteActions:
    """Promotes the shown exchange.

    Args:
        exchange: gives the exchange that is shown; None for none, and for one that cannot be read.
    """

    def __init__(self, tab: Tab, exchange: Callable[[], Exchange | None]) -> None:
        self._tab = tab
        self._session = tab.session
        self._exchange = exchange
        # The fixture, and its state, that a second P overwrites.
        self._warned: tuple[str, FileStamp | None] | None = None

    def promote(self) -> None:
        """Save the reply as a fixture; a second press overwrites an existing one."""
        exchange = self._exchange()
        if exchange is None:
            self._tab.say("Select the exchange to promote.")
            return
        digest = exchange.digest or ""
        now = digest, self._session.store.stamp(digest) if digest else None
        was_warned, self._warned = self._warned == now, None
        try:
            said = promote_recorded(self._session, exchange, overwrite=was_warned)
        except HasFixtureError:
            self._warned = now
            self._tab.say(f"{short(digest)} has a fixture. P again overwrites it.", "warning")
        except NoFixtureError as error:
            self._tab.say(f"Not promoted: {error}.", "error")
        else:
            more = f" It is {said}." if said else ""
            self._tab.say(f"Promoted to {short(digest)}….json.{more} u undoes.")
            self._tab.post_message(self._tab.CountsChanged())
