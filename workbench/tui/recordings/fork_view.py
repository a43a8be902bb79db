"""The reply that a fork begins with, in the form in which answers are written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from workbench.core.apis.table import view
from workbench.core.recordings.exchanges import Exchange
from workbench.core.requests.view import Payload
from workbench.session.drafts.store import Draft
from workbench.session.preview.preview import Assessment, assess
from workbench.session.recordings.fork_replies import NOT_RECORDED, draft_of
from workbench.session.session import Session
from workbench.tui.workspace.draft_view import DraftView
from workbench.tui.workspace.pane_layout import PaneLayout


class ForkView(DraftView):
    """Edits the reply of a fork: an answer for an LLM call, a JSON value for any other call.

    Attributes:
        exchange: the exchange whose reply the fork replaces; None while none is edited.
    """

    takes_first = False

    def __init__(self, session: Session, panes: PaneLayout) -> None:
        super().__init__(session, panes, lacking=NOT_RECORDED)
        self.exchange: Exchange | None = None
        self._at: tuple[str, int] = "", 0
        self._draft: Draft | None = None

    @property
    def draft(self) -> Draft | None:
        return self._draft if self.exchange is not None else None

    @property
    def payload(self) -> Payload | None:
        is_chat = self.exchange is not None and self.exchange.is_chat
        return self.exchange.payload if self.exchange is not None and is_chat else None

    def answered(self) -> list[Payload]:
        return [] if self.payload is None else [self.payload]

    @property
    def is_value(self) -> bool:
        return self.draft is not None and self.payload is None

    def required_draft(self) -> Draft | None:
        return self.draft

    async def begin(self, recording: str, exchange: Exchange) -> None:
        """Edit a reply that replaces an exchange's; earlier edits of it are kept."""
        self.exchange, self._at = exchange, (recording, exchange.position)
        begun = self.session.recordings.forks_begun.get(self._at)
        self._draft = begun if begun is not None else draft_of(exchange)
        await self.show_draft()
        self.assess_now()

    def end(self) -> None:
        """Leave what is typed as it is."""
        self.write_back()
        self.exchange = None

    async def show_draft(self) -> None:
        async with self._showing:
            draft = self.draft
            self.answer.new_messages.show(view(self.payload) if self.payload is not None else None)
            await self.answer.show(
                draft, self.tools(), self.output_format(), is_value=self.is_value
            )

    def keep_soon(self) -> None:
        """Keep the draft as long as the session lasts."""
        draft = self.draft
        if draft is not None and draft.touched:
            self.session.recordings.forks_begun[self._at] = draft
        else:
            self.session.recordings.forks_begun.pop(self._at, None)

    def check(self, draft: Draft) -> Callable[[], Assessment]:
        return partial(
            assess,
            draft.text,
            draft.name,
            self.answered(),
            revision=draft.revision,
            profile=self.preview.profile,
            serving=self.session.server.serving,
            at=draft.shown_response,
        )

    def assess_now(self) -> None:
        if self.payload is None:
            self.write_back()  # no rule is about other values
        else:
            super().assess_now()

    def show_assessment(self, name: str, assessment: Assessment) -> None:
        draft = self.draft
        if draft is not None and draft.revision == assessment.revision and self.payload:
            self.answer.show_assessment(assessment)
            self.preview.show(assessment.preview, name)
