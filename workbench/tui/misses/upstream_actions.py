"""Drafts that the upstream API writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.fixture.recorded import without
from workbench.core.text.digests import short
from workbench.session.answers.upstream import NoAnswerError
from workbench.tui.dialogs.questions import confirm
from workbench.tui.widgets.status import status_of
from workbench.tui.workspace.subject_parts import SubjectParts

NO_UPSTREAM = "No upstream: start with --upstream URL, its key in WORKBENCH_UPSTREAM_KEY."
PROGRESS_SECONDS = 1.0


class UpstreamActions:
    """Asks a real model for drafts, for a person to review and save."""

    def __init__(self, parts: SubjectParts) -> None:
        self._tab = parts.tab
        self._view = parts.view
        self._session = parts.session
        self._upstream = parts.session.upstream

    async def ask(self) -> None:
        """Request a draft of the selected miss from the upstream, after a person agreed to send its
        request and to lose edits; or use an answer that arrived while the draft was edited.
        """
        digest, upstream = self._view.required_digest(), self._upstream
        if digest is None:
            return
        payload = self._view.request.payload
        if digest in upstream.answers:
            await self._take_wanted(digest)
        elif not upstream.url:
            self._tab.say(NO_UPSTREAM)
        elif payload is None:
            self._tab.say("The log does not contain its request, so the upstream cannot be asked.")
        elif digest in upstream.waits:
            self._tab.say(f"{upstream.host} is being asked for {short(digest)} already; esc stops.")
        else:
            await self._ask(digest, payload)

    async def _take_wanted(self, digest: str) -> None:
        question = "Replace what is written with the upstream's answer?"
        if self._revision(digest) is None or await self._agrees(question, "Replace"):
            await self._take(digest)

    async def _agrees(self, question: str, verb: str) -> bool:
        return await confirm(self._tab, question, verb) is True

    def _revision(self, digest: str) -> int | None:
        """The revision of the draft of a digest; None where no one edited it."""
        self._tab.write_back()
        draft = self._session.drafting.open(self._view.name_of(digest))
        return draft.revision if draft.touched else None

    async def _ask(self, digest: str, payload: Mapping[str, Any]) -> None:
        upstream = self._upstream
        if not upstream.is_agreed:
            key = " with your key" if upstream.has_key else ""
            if not await self._agrees(f"Ask {upstream.host}{key}?", "Ask"):
                return
            upstream.is_agreed = True
        question = "Ask for an answer that replaces what is written?"
        if self._revision(digest) is not None and not await self._agrees(question, "Ask"):
            return
        if digest in upstream.waits:
            return  # the key was pressed twice at once
        status_of(self._tab).say(f"Asking {upstream.host} · esc stops", topic="upstream")
        revision = self._revision(digest)
        progress = self._tab.set_interval(PROGRESS_SECONDS, self._show_progress)
        try:
            await upstream.ask(digest, payload)
        except NoAnswerError as error:
            self._tab.say(f"No draft: {error}.", "error")
        else:
            if self._revision(digest) == revision:
                await self._take(digest)
            else:
                message = f"The upstream answered {short(digest)}; your draft is kept."
                self._tab.say(f"{message} U takes its answer.")
        finally:
            progress.stop()

    def _show_progress(self) -> None:
        """Show the progress, unless another message was shown since."""
        if self._upstream.waits:
            status_of(self._tab).hint(self._upstream.progress, topic="upstream")

    async def _take(self, digest: str) -> None:
        """Write the upstream's answer into the draft."""
        view, came = self._view, self._upstream.answers[digest]
        had_focus = view.answer.has_focus_within
        name = self._session.drafting.name_for(digest, came.payload)
        if not await view.change(self._upstream.write_into, name):
            return
        del self._upstream.answers[digest]
        if digest == view.subject and name != view.fixture_name:
            message = (
                f"The upstream's answer is in the draft of {short(digest)}, for another request"
            )
            self._tab.say(f"{message} of that digest: ( and ) show it.")
            return
        if digest == view.subject and had_focus:
            view.answer.enter()
        elif digest == view.subject and self._tab.rows.has_focus:
            self._tab.panes.show("answer")
        rest = f" It is {without(came.left_out)}." if came.left_out else ""
        self._tab.say(
            f"The upstream's answer is the draft of {short(digest)}: read it, a saves it.{rest}"
        )

    def stop(self) -> bool:
        """Hang up on the upstream. Return True if a request was running."""
        is_asked = bool(self._upstream.waits)
        if is_asked:
            self._tab.workers.cancel_group(self._tab, "ask")
            self._tab.say("Stopped asking the upstream. U asks again.")
        return is_asked
