"""Drafts of misses that the upstream is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from textual import work
from textual.binding import Binding, BindingType

from workbench.core.digest import short
from workbench.session import editing
from workbench.session.drafts import Draft
from workbench.session.misses.upstream import NoAnswerError
from workbench.tui.messages import ConfirmAsked, StatusHinted
from workbench.tui.misses.nearest_keys import NearestKeys

NO_UPSTREAM = "No upstream: start with --upstream URL, its key in WORKBENCH_UPSTREAM_KEY."
PROGRESS_SECONDS = 1.0


class UpstreamKeys(NearestKeys):
    """A workspace whose drafts a real model may write, for a person to review and save."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("U", "ask_upstream", "Ask upstream", show=False, id="miss.ask_upstream",
                tooltip="A draft from the real model, to be reviewed (asks first)"),
    ]
    # fmt: on

    _progress = ""

    def on_mount(self) -> None:
        # It runs while something is under way.
        self._progress_timer = self.set_interval(PROGRESS_SECONDS, self._show_progress, pause=True)

    def action_ask_upstream(self) -> None:
        """Ask for a draft of the selected miss, once a person agreed to where its request goes and
        to what is lost; or take the answer that came while the draft was written into.
        """
        digest, upstream = self.wanted_digest(), self.session.upstream
        if digest is None:
            return
        payload = self.view.request.payload
        is_written = self._revision(digest) is not None
        if digest in upstream.answers and is_written:
            question = "Take the upstream's answer over what is written?"
            self._confirm(question, lambda: self._take_answer(digest))
        elif digest in upstream.answers:
            self._take_answer(digest)
        elif not upstream.url:
            self.say(NO_UPSTREAM)
        elif payload is None:
            self.say("Its request is not known: there is nothing to ask with.")
        elif digest in upstream.waits:
            self.say(f"{upstream.host} is asked for {short(digest)} already; esc stops.")
        elif not upstream.is_agreed:
            key = " with your key" if upstream.has_key else ""
            self._confirm(f"Ask {upstream.host}{key}?", self._agree)
        elif is_written:
            question = "Ask for an answer in place of what is written?"
            self._confirm(question, lambda: self._ask(digest, payload))
        else:
            self._ask(digest, payload)

    def _confirm(self, question: str, confirmed: Callable[[], None]) -> None:
        choices = "y does, any other key goes back."
        self.post_message(ConfirmAsked(question, choices, confirmed))

    def _agree(self) -> None:
        self.session.upstream.is_agreed = True
        self.action_ask_upstream()

    def _revision(self, digest: str) -> int | None:
        """Of what is written for a digest; None where nothing is."""
        self.view.write_back()
        draft = self.session.draft(digest)
        return draft.revision if draft.touched else None

    def _ask(self, digest: str, payload: Mapping[str, Any]) -> None:
        self._progress = f"Asking {self.session.upstream.host} · esc stops"
        self.say(self._progress)
        self._await_answer(digest, payload, self._revision(digest))

    @work(group="upstream", exit_on_error=False)
    async def _await_answer(
        self, digest: str, payload: Mapping[str, Any], revision: int | None
    ) -> None:
        if digest in self.session.upstream.waits:
            return  # the key was pressed twice at once
        self._progress_timer.resume()
        try:
            await self.session.upstream.ask(digest, payload)
        except NoAnswerError as error:
            self.say(f"No draft: {error}.", "error")
        else:
            if self._revision(digest) == revision:
                await self._take(digest)
            else:
                self.say(f"The upstream answered {short(digest)}; yours is kept. U takes it over.")
        finally:
            if not self.session.upstream.waits:
                self._progress_timer.pause()

    def _show_progress(self) -> None:
        """Say what is under way, unless something else was said since."""
        if self.session.upstream.waits:
            said, self._progress = self._progress, self.session.upstream.progress
            self.post_message(StatusHinted(self._progress, instead_of=said))

    def _take_answer(self, digest: str) -> None:
        self.call_later(self._take, digest)

    async def _take(self, digest: str) -> None:
        """Write the answer that came into the draft."""
        response = self.session.upstream.answers[digest]
        had_focus = self.view.answer.has_focus_within and digest == self.subject

        def edit(draft: Draft) -> None:
            draft.set_text(editing.with_recorded(draft.document, response).text)

        if await self.view.change(edit, digest):
            del self.session.upstream.answers[digest]
            if had_focus:
                self.view.answer.focus_start()
            elif digest == self.subject and self.rows.has_focus:
                self.show_pane("answer")
            self.say(f"The upstream's answer is the draft of {short(digest)}: read it, a saves it.")

    def action_leave(self) -> None:
        """Escape: what is under way stops; only then it leads back."""
        if self.session.upstream.waits:
            self.workers.cancel_group(self, "upstream")
            self.say("Stopped: the upstream is no longer asked. U asks again.")
        else:
            super().action_leave()
