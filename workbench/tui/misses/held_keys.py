"""What is decided about requests that the server holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Set
from typing import Any, ClassVar

from textual import work
from textual.binding import Binding, BindingType

from workbench.core.replies.response import FixtureError
from workbench.io.control_client import ControlError, NotControllableError, ServerEvent
from workbench.session.misses.held import Held
from workbench.session.wording import brief_time, countdown, counted
from workbench.tui.misses.save_keys import SaveKeys

CANNOT_HOLD = "This server cannot hold requests. workbench serve --hold can."


class HeldKeys(SaveKeys):
    """A workspace whose rows may be held."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "toggle_hold", "Hold", show=False,
                id="held.toggle", tooltip="Let misses wait for their answers, or no longer"),
        Binding("W", "answer_once", "Answer once", show=False,
                id="held.answer", tooltip="Held: send the draft without saving it"),
        Binding("L", "release", "Release", show=False,
                id="held.release", tooltip="Held: send the fallback"),
        Binding("plus", "extend", "More time", key_display="+", show=False,
                id="held.extend", tooltip="Held: five minutes more"),
    ]
    # fmt: on

    _known_held: Set[str] = frozenset()

    def on_mount(self) -> None:
        # It runs while anybody waits.
        self._held_timer = self.set_interval(1, self._count_down, pause=True)

    def _count_down(self) -> None:
        if self.subject and self.subject in self.session.held and self.is_on_screen:
            self._show_held()

    def _show_held(self) -> None:
        if self.subject is not None:
            self.view.request.show_notice(self.notice(self.subject))

    def update_rows(self, changed: frozenset[str]) -> None:
        """The session has news of some rows."""
        raise NotImplementedError

    def held_changed(self, digests: set[str]) -> bool:
        """Take in that these are held, or no longer; returns whether any began to wait."""
        held = set(self.session.held.digests)
        new, self._known_held = held - self._known_held, held
        if held:
            self._held_timer.resume()
        else:
            self._held_timer.pause()
        self.update_rows(frozenset(digests))
        if self.subject in digests:
            self._show_held()
        # Where nothing is selected, the one that comes will be.
        if new and self.rows.cursor is not None and self.rows.cursor not in new:
            are = "request is" if len(self.session.held) == 1 else "requests are"
            first = " (esc first)" if self.view.answer.has_focus_within else ""
            self.say(f"{len(self.session.held)} {are} held: n goes there{first}.")
        return bool(new)

    def action_toggle_hold(self) -> None:
        """Hold what comes from now on, or no longer: who waits already waits on."""
        book = self.session.held
        if book.client is None:
            self.say("There is no server. --server URL, or S starts one here.")
        elif book.hold is None:
            down = self.session.server_up is False
            self.say(f"No server at {book.client.host} now." if down else CANNOT_HOLD)
        else:
            enabled = not book.hold.enabled
            self._decide(lambda: book.set_hold(enabled=enabled), lambda _: self._held_or_not())

    def _held_or_not(self) -> str:
        book = self.session.held
        if book.hold is not None and book.hold.enabled:
            waits = brief_time(book.hold.timeout_s)
            return f"Hold is on: a miss waits up to {waits} for its answer. h turns it off."
        stays = "stays" if len(book) == 1 else "stay"
        return "Hold is off." + (f" {len(book)} held {stays} held." if book else "")

    def action_answer_once(self) -> None:
        """Send the draft to those who wait, and save nothing."""
        held, digest = self._held(), self.subject
        if held is None or digest is None:
            return
        self.view.write_back()
        draft = self.session.draft(digest)
        try:
            response = draft.document.response
        except FixtureError as error:
            self.say(f"The draft cannot be read: {error}.", "error")
            return
        if not draft.touched and draft.base is None:
            self.say("Nothing written yet. Enter writes; L gives the fallback.")
            return
        self._decide(
            lambda: self.session.held.answer_once(digest, response),
            lambda held: f"Sent to {_clients(held)} after {brief_time(held.waited)}, not saved.",
        )

    def action_release(self) -> None:
        """Send the fallback to those who wait."""
        held, digest = self._held(), self.subject
        if held is not None and digest is not None:
            self._decide(
                lambda: self.session.held.release(digest),
                lambda held: f"Released: {_clients(held)} got the fallback.",
            )

    def action_extend(self) -> None:
        held, digest = self._held(), self.subject
        if held is not None and digest is not None:
            self._decide(
                lambda: self.session.held.extend(digest),
                lambda held: f"Five minutes more: the fallback goes out in {countdown(held.left)}.",
            )

    def _held(self) -> Held | None:
        """Who waits for the selected row; says so where nobody does."""
        held = self.session.held.get(self.subject) if self.subject else None
        if held is None:
            hold = self.session.held.hold
            is_on = hold is not None and hold.enabled
            more = "" if is_on else " h holds what is missing from now on."
            self.say(f"Nobody waits for this one.{more}")
        return held

    @work(group="held", exit_on_error=False)
    async def _decide(self, ask: Callable[[], Any], said: Callable[[Any], str]) -> None:
        """Ask the server in a thread, and say what came of it."""
        try:
            answer = await asyncio.to_thread(ask)
        except NotControllableError:
            self.say(CANNOT_HOLD, "warning")
        except ControlError as error:
            self.say(f"Not done: {error}.", "warning")
        else:
            self.say(said(answer))

    def wait_ended(self, event: ServerEvent) -> tuple[str, bool]:
        """What to say of the end of a wait ("" where a key said it), and whether that answers a
        key.
        """
        held = event.data
        after = brief_time(held["age_s"])
        match event.kind, held.get("how"):
            case "gone", _:
                return f"The client hung up after {after}. The draft is kept.", False
            case "released", "timed out":
                waited = countdown(held["age_s"])
                return f"Waited {waited}: the fallback was sent.", False
            case "answered", "saved":
                clients = counted(held["clients"], "client")
                is_ours = held["digest"] in self.session.decisions.saved
                if is_ours:
                    return f"Saved and sent to {clients} after {after}. u undoes.", True
                return f"Saved elsewhere and sent to {clients} after {after}.", False
        return "", False


def _clients(held: Held) -> str:
    return counted(held.request.clients, "client")
