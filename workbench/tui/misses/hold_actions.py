"""Actions on held requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Set
from functools import partial
from typing import Any

from textual.timer import Timer

from workbench.core.apis.table import view
from workbench.core.replies.response import FixtureError
from workbench.core.text.digests import short
from workbench.core.text.wording import brief_time, countdown, counted
from workbench.io.network.control_client import ControlError, NotControllableError, ServerEvent
from workbench.session.misses.held import Held
from workbench.session.server import no_server
from workbench.tui.widgets.status import UNTIL_HELD_ROW, status_of
from workbench.tui.workspace.subject_parts import SubjectParts

_CUT_OFF = (
    "Status 200 was sent before, so the connection was closed. The client gets the error when it "
    "sends the request again."
)

CANNOT_HOLD = "This server cannot hold requests. Start one with workbench serve --hold."


class HoldActions:
    """Turns hold on and off, and answers, releases or extends held requests."""

    def __init__(self, parts: SubjectParts) -> None:
        self._tab = parts.tab
        self._parts = parts
        self._session = parts.session
        self._server, self._held = parts.session.server, parts.session.held
        self._held_digests: Set[str] = frozenset()
        self._timer: Timer | None = None

    # What the server says

    def update(self, digests: Set[str]) -> bool:
        """Show the held requests of ``digests``, which changed. Return True if new ones wait."""
        held = set(self._held.digests)
        new, self._held_digests = held - self._held_digests, held
        if held and self._timer is None:
            self._timer = self._tab.set_interval(1, self.count_down)
        elif not held and self._timer is not None:
            self._timer.stop()
            self._timer = None
            status_of(self._tab).clear(UNTIL_HELD_ROW)
        if self._tab.subject in digests:
            self._update_notice()
        rows = self._tab.rows
        if new and rows.list_query.is_chosen and rows.cursor not in new:
            are = "request is" if len(self._held) == 1 else "requests are"
            first = " (esc first)" if self._parts.is_answering else ""
            message = f"{len(self._held)} {are} held: n goes there{first}."
            status_of(self._tab).say(message, topic=UNTIL_HELD_ROW)
        return bool(new)

    def go_on(self, saved: str) -> None:
        """Select the row that comes next after a save."""
        rows = self._tab.rows
        rows.change_rows(partial(self._held.offer_next, rows.list_query, saved))

    def count_down(self) -> None:
        """Show how long the clients of the selected row still wait."""
        if self._tab.subject in self._held_digests and self._tab.is_on_screen:
            self._update_notice()

    def _update_notice(self) -> None:
        if self._tab.subject is not None:
            self._parts.show_notice(self._tab.notice(self._tab.subject))

    def wait_ended(self, event: ServerEvent) -> tuple[str, bool]:
        """The message about the end of a wait, or "", and True if it ended by a key."""
        held = event.data
        after = brief_time(held["age_s"])
        match event.kind, held.get("how"):
            case "gone", _:
                kept = " Your draft is kept." if self._is_drafted(held["digest"]) else ""
                return f"The client hung up after {after}.{kept}", False
            case "released", "timed out" if held["clients"]:
                waited = countdown(held["age_s"])
                return f"After {waited}, {self._server.miss_reply} was sent.", False
            case "answered", "saved" if held["clients"]:
                clients = counted(held["clients"], "client")
                if held["digest"] in self._session.decisions.saved:
                    return f"Saved and sent to {clients} after {after}. u undoes.", True
                if held["digest"] in self._session.decisions.rekeyed:
                    return f"Moved and sent to {clients} after {after}. u undoes.", True
                return f"Saved elsewhere and sent to {clients} after {after}.", False
            case "cut_off", "saved" if held["digest"] in self._session.decisions.saved:
                return f"Saved. {_CUT_OFF} u undoes.", True
            case "cut_off", how:
                return _CUT_OFF, how == "answered"
        return "", False

    def _is_drafted(self, digest: str) -> bool:
        self._tab.write_back()
        return self._session.drafting.is_written(self._parts.view.name_of(digest))

    # Keys

    def toggle(self) -> None:
        """Turn hold on or off; requests that wait go on waiting."""
        server = self._server
        if server.url is None:
            self._tab.say("There is no server. Name one with --server URL, or start one with ^p.")
        elif server.is_up is None:
            self._tab.say(f"Still looking for the server at {server.host}.")
        elif not server.is_up:
            self._tab.say(no_server(server.host))
        elif server.hold is not None and not server.hold.possible:
            self._tab.say(CANNOT_HOLD)
        else:
            self._ask_server(server.toggle_hold, lambda _: self._hold_state())

    def _hold_state(self) -> str:
        held, hold = self._held, self._server.hold
        if hold is not None and hold.enabled:
            waits = brief_time(hold.timeout_s)
            return f"Hold is on: a miss waits up to {waits} for its answer. h turns it off."
        stays = "stays" if len(held) == 1 else "stay"
        return "Hold is off." + (f" {len(held)} held {stays} held." if held else "")

    def answer_once(self) -> None:
        """Send the response that is shown to the waiting clients, and save nothing."""
        digest = self._selected()
        if digest is None:
            return
        self._parts.view.answer.take_choice()
        self._tab.write_back()
        name = self._parts.view.name_of(digest)
        draft = self._session.drafting.open(name)
        try:
            response = draft.document.response_at(draft.shown_response)
        except FixtureError as error:
            self._tab.say(f"The draft cannot be read: {error}.", "error")
            return
        if not draft.touched and draft.base is None:
            self._tab.say(f"Nothing written yet. Enter writes, L sends {self._server.miss_reply}.")
            return
        if to_fill := self._session.drafting.checked(name).preview.to_fill:
            self._tab.say(f"Nothing is sent yet: {to_fill}.", "warning")
            return
        self._ask_server(
            lambda: self._held.answer_once(digest, response, self._shown_variant()),
            lambda held: _sent_once(held, is_error=bool(response.get("error"))),
        )

    def _shown_variant(self) -> str:
        """The variant of the request that is shown, as several may wait; "" for one not known."""
        payload = self._parts.view.request.payload
        return view(payload).variant if payload else ""

    def release(self) -> None:
        """Send the reply of a miss to the waiting clients."""
        digest = self._selected()
        if digest is not None:
            self._release(digest, "Sent")

    def release_ignored(self, digest: str) -> None:
        """Send that reply to the clients of a digest that was ignored: no answer will come."""
        self._release(digest, f"Ignored {short(digest)}, and sent", " u un-ignores it.")

    def _release(self, digest: str, done: str, more: str = "") -> None:
        self._ask_server(
            lambda: self._held.release(digest),
            lambda held: f"{done} {self._server.miss_reply} to {_clients(held)}.{more}",
        )

    def extend(self) -> None:
        digest = self._selected()
        if digest is not None:
            self._ask_server(
                lambda: self._held.extend(digest),
                lambda held: (
                    f"Five minutes more: {self._server.miss_reply} goes out in "
                    f"{countdown(held.left)}."
                ),
            )

    def _selected(self) -> str | None:
        """The selected digest, if clients wait for it; else a message is shown."""
        digest = self._tab.subject
        if digest is not None and digest in self._held:
            return digest
        hold = self._server.hold
        is_off = hold is not None and hold.possible and not hold.enabled
        more = " h turns hold on." if is_off else ""
        self._tab.say(f"No client is waiting for this request.{more}")
        return None

    def _ask_server(self, ask: Callable[[], Any], sentence: Callable[[Any], str]) -> None:
        """Send a request to the server from a thread, and show its answer."""

        async def asking() -> None:
            try:
                answer = await asyncio.to_thread(ask)
            except NotControllableError:
                self._tab.say(CANNOT_HOLD, "warning")
            except ControlError as error:
                self._tab.say(f"Not done: {error}.", "warning")
            else:
                self._tab.say(sentence(answer))

        self._tab.start("held", asking())


def _sent_once(held: Held, *, is_error: bool) -> str:
    """The message about an answer that was not saved."""
    if is_error and held.begun and not held.stream:
        return _CUT_OFF
    return f"Sent to {_clients(held)} after {brief_time(held.waited)}, not saved."


def _clients(held: Held) -> str:
    return counted(held.clients, "client")
