"""The Misses tab: requests that had no fixture, and what a person decides about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import BindingType
from textual.content import Content
from textual.message import Message

from workbench.core.text.wording import counted
from workbench.session.misses.states import open_name, outdated_count, state_of
from workbench.session.session import Session
from workbench.tui.command import SHOWN, Command, Place, Situation, bindings, first
from workbench.tui.misses.empty_states import Offer
from workbench.tui.misses.miss_list import MissList
from workbench.tui.widgets.row_list import RowList
from workbench.tui.workspace.workspace import Workspace

# The list does not need it.
if TYPE_CHECKING:
    from workbench.tui.misses.miss_parts import MissParts
    from workbench.tui.workspace.notices import Notice

# Those that show the selected row.
_PANES: Final = ("request", "answer", "preview")

# In the order of the key bar.
# fmt: off
_COMMANDS: Final[Sequence[Command[MissParts]]] = (
    Command("miss.accept_marked", "A", "Save marked",
            "Save all marked drafts without errors (asks)",
            lambda parts: parts.tab.start("save_marked", parts.row_actions.save_marked()),
            bar=first("marked"), labels={"marked": "Save {}"}, in_help=False),
    Command("miss.accept", "a", "Save",
            "Save the draft",
            lambda parts: parts.save(), bar=first("written")),
    Command("miss.add_call", "t,ctrl+t,f3", "Tool call",
            "Add a tool call and edit it",
            lambda parts: parts.add_call(),
            bar=first("missing", "draft", "held", "unlogged", "blocked"), labels={"held": "Call"}),
    Command("miss.rekey", "r", "Move",
            "Move the nearest fixture to this request",
            lambda parts: parts.tab.start("rekey", parts.rekey()),
            bar={**first("stale", "can re-key", "alike"), "suite ended": Place.LATE},
            labels={"suite ended": "Run again"}),
    Command("miss.nearest", "d", "Nearest",
            "Show or hide the nearest fixture, or what the draft changes",
            lambda parts: parts.nearest.show(),
            bar={**first("stale", "missing", "draft"),
                 **dict.fromkeys(("broken", "answered", "nearest"), Place.EARLY)},
            labels={"nearest": "Back", "stale": "Difference", "broken": "Difference",
                    "answered": "Difference"}),
    Command("miss.copy_answer", "c", "Copy answer",
            "Copy the nearest fixture's answer into the draft",
            lambda parts: parts.tab.start("copy_answer", parts.nearest.copy_answer()),
            bar=first("stale", "nearest", "alike"), labels={"alike": "Copy"}),
    Command("held.answer", "W", "Answer once",
            "Answer a held request once: send the draft without saving it",
            lambda parts: parts.hold.answer_once(), bar=first("held"), labels={"held": "Once"},
            in_help=False),
    Command("held.release", "L", "Fallback",
            "Send the fallback to a held request, or the error of --strict",
            lambda parts: parts.hold.release(), bar=first("held"), labels={"strict": "Error"},
            in_help=False),
    Command("held.extend", "plus", "More time",
            "Keep a held request waiting for five more minutes",
            lambda parts: parts.hold.extend(), bar=first("held"), labels={"held": "5 min"},
            in_help=False),
    Command("miss.skip", "s", "Skip",
            "Skip or unskip",
            lambda parts: parts.row_actions.skip(),
            bar={**first("missing", "draft", "unsupported", "unlogged", "blocked", "skipped"),
                 "stale": Place.EARLY},
            labels={"skipped": "Unskip"}),
    Command("miss.rekey_all", "R", "Move all",
            "Move all fixtures with the same change as the last one, or else all stale ones (asks)",
            lambda parts: parts.rekeying.rekey_all(),
            bar=first("several stale"), labels={"several stale": "Move all {}"}),
    Command("miss.serve_across_days", "", "Serve across days",
            "Copy the setting with which the server answers stale misses",
            lambda parts: parts.nearest.serve_across_days()),
    Command("miss.ignore", "i", "Ignore",
            "Ignore (answer with the fallback for good) or un-ignore",
            lambda parts: parts.tab.start("ignore", parts.row_actions.ignore()),
            bar=first("missing", "ignored", "unlogged"), labels={"ignored": "Un-ignore"}),
    Command("miss.toggle_done", "full_stop", "All",
            "Show or hide saved, skipped and ignored rows",
            lambda parts: parts.tab.toggle_done(), bar=SHOWN),
    Command("miss.edit_json", "w", "JSON",
            "Edit the whole document as JSON",
            lambda parts: parts.edit_json(),
            bar=dict.fromkeys(("missing", "draft", "blocked", "answered", "broken"), Place.LATE)),
    Command("miss.edit_outside", "e", "$EDITOR",
            "Edit the document in $EDITOR",
            lambda parts: parts.draft.edit_outside(), bar=first("broken")),
    Command("held.toggle", "h", "Hold",
            "Turn hold on or off",
            lambda parts: parts.hold.toggle(), bar={"can hold": Place.LATE}),
    Command("miss.turn_request_back", "left_square_bracket", "Previous view",
            "The previous view of the request",
            lambda parts: parts.view.request.action_turn(-1)),
    Command("miss.turn_request_on", "right_square_bracket", "Next view",
            "The next view of the request",
            lambda parts: parts.view.request.action_turn(1)),
    Command("miss.ask_upstream", "U", "Ask upstream",
            "Get a draft from the real model (asks first)",
            lambda parts: parts.tab.start("ask", parts.upstream.ask())),
    Command("miss.mark", "m", "Mark",
            "Mark or unmark the row",
            lambda parts: parts.row_actions.mark(), bar={"marked": Place.LATE}),
    Command("miss.clear_marks", "M", "Clear marks",
            "Unmark all rows",
            lambda parts: parts.row_actions.clear_marks()),
    Command("miss.open", "O", "",
            "Open a log (in an empty list)",
            lambda parts: parts.tab.offer("open"), in_help=False),
    Command("miss.server", "S", "",
            "Start a server (in an empty list)",
            lambda parts: parts.tab.offer("server"), in_help=False),
    Command("miss.sample", "T", "",
            "Show sample traffic (in an empty list)",
            lambda parts: parts.tab.offer("sample"), in_help=False),
)
# fmt: on


class MissesTab(Workspace):
    """The list of misses."""

    BINDING_GROUP_TITLE = "Misses"
    TAB_COMMANDS = _COMMANDS
    BINDINGS: ClassVar[list[BindingType]] = bindings(_COMMANDS)

    @dataclass
    class OfferTaken(Message):
        """The application is to do what an empty list offers."""

        what: Offer

    NO_DIGEST = "No fixture can answer this. Enter shows what to change; s skips it."

    rows: MissList
    parts: MissParts | None = None

    def __init__(self, session: Session) -> None:
        super().__init__(session, MissList(session))

    @property
    def situation(self) -> Mapping[Situation, int]:
        situation = dict(super().situation)
        if "answering" in situation:
            return situation
        session, key = self.session, self.rows.cursor
        numbers: dict[Situation, int] = {
            "can hold": session.server.can_hold,
            "strict": bool(session.server.is_strict),
            "marked": len(session.decisions.marked),
        }
        suite = session.suite
        if suite is not None and not suite.is_running and not self.rows.keys:
            numbers["suite ended"] = 1
        if key is not None:
            kind = state_of(session, key).kind
            is_held = kind == "held" and session.drafting.is_written(open_name(session, key))
            numbers["written"] = kind == "draft" or is_held
            if "in preview" not in situation:  # which has keys enough of its own
                nearest = self.parts.nearest.situation if self.parts is not None else {}
                numbers |= nearest
                # While somebody reads about the nearest, its keys have the room.
                numbers[kind] = not nearest or self.rows.has_focus
                if kind == "held" and session.miss_fixtures.broken(key) is not None:
                    numbers["broken"] = 1
                if kind == "held" and not nearest and self._has_alike:
                    numbers["alike"] = 1
        return situation | {word: number for word, number in numbers.items() if number}

    @property
    def _has_alike(self) -> bool:
        """True if a similar fixture is known that does not answer the selected request."""
        result = self.parts.nearest.result if self.parts is not None else None
        return (
            result is not None and result.nearest is not None and not result.nearest.is_equivalent
        )

    # News

    def show_news(self) -> None:
        self.update_rows(frozenset())

    def update_rows(self, changed: frozenset[str]) -> None:
        """Show the misses that changed in the session."""
        self.rows.update_rows(changed)
        self.fit_panes()
        if self.parts is not None:
            self.parts.rows_changed(changed)
        self.update_keys()

    def fit_panes(self) -> None:
        """Without rows, have the text of the list in place of the panes."""
        rows = self.rows
        is_empty = rows.is_read and not rows.keys and not rows.filter_text
        self.panes.leave_out(*(_PANES if is_empty else ()))

    async def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:  # noqa: ARG002
        self.fit_panes()

    def held_changed(self, digests: set[str]) -> bool:
        """Show that clients began or ceased to wait for ``digests``. Return True if any began."""
        self.update_rows(frozenset(digests))
        return self.parts is not None and self.parts.hold.update(digests)

    def stale_changed(self, digests: set[str], fixtures_changed: bool) -> None:
        """Show that ``digests`` became stale or ceased to be."""
        if digests:
            self.update_rows(frozenset(digests))
        if self.parts is not None:
            self.parts.nearest.update(digests, fixtures_changed=fixtures_changed)

    def decided(self, digest: str) -> None:
        self.update_rows(frozenset((digest, *self.session.outdated.after(digest))))
        self.post_message(self.CountsChanged())

    # The selected row

    def digest_of(self, key: str) -> str | None:
        return None if key in self.session.miss_index.unsupported else key

    def notice(self, digest: str) -> Notice:
        from workbench.tui.workspace.notices import miss_notice

        return miss_notice(self.session, digest)

    def lines_without_digest(self) -> Sequence[Content]:
        from workbench.tui.workspace.notices import unsupported_notice

        row = self.session.miss_index.unsupported.get(self.rows.cursor or "")
        return unsupported_notice(row.unsupported) if row and row.unsupported else []

    # Keys

    def stop_work(self) -> bool:
        is_asked = self.parts is not None and self.parts.upstream.stop()
        return is_asked or super().stop_work()

    def toggle_done(self) -> None:
        """Show the rows that need nothing more, or hide them."""
        query = self.rows.list_query
        self.rows.change_rows(partial(query.set_with_done, not query.with_done))
        outdated = outdated_count(self.session)
        turns = counted(outdated, "later turn")
        more = f", with {turns} that will not be requested again" if outdated else ""
        are = "shown" if query.with_done else "hidden"
        self.say(f"Rows that need nothing more are {are}{more}.")

    def offer(self, what: Offer) -> None:
        """Do what an empty list offers."""
        if not self.rows.keys:
            self.post_message(self.OfferTaken(what))
        else:
            self.say("This key is only for an empty list. ^p has the same command.")
