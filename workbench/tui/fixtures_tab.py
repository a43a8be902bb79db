"""The Fixtures tab: the files there are, what was found in them, and the same editor."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.worker import get_current_worker

from workbench.core.fixtures import FixtureError
from workbench.io.store import SUFFIX
from workbench.session.fixture_book import FixtureBook, FixtureEntry
from workbench.session.session import Session
from workbench.tui.fixture_list import FixtureList
from workbench.tui.notices import broken_notice
from workbench.tui.workspace import Workspace

BATCH = 50


class FixturesTab(Workspace):
    """The list of fixtures; a file whose name is no digest is listed and not edited."""

    BINDING_GROUP_TITLE = "Fixtures"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", "Undo", tooltip="Take back the last save", id="fixture.undo"),
    ]

    def __init__(self, session: Session) -> None:
        self.book = FixtureBook(session.store)
        self.fixtures = FixtureList(self.book, id="fixture-list")
        super().__init__(session, self.fixtures, id="fixtures")

    def open_items(self) -> int:
        return len(self.book.entries)

    def digest_of(self, key: str) -> str | None:
        return self.book.entries[key].digest

    def select_digest(self, digest: str) -> None:
        name = f"{digest}{SUFFIX}"
        if name in self.book.entries:
            self.fixtures.select(name)

    def notice(self, digest: str) -> list[Content]:
        broken = self.session.unusable(digest)
        if broken is not None:
            return broken_notice(self.session, digest, broken)
        try:
            stored = self.session.draft(digest).document.request
        except FixtureError:  # of a draft: the answer says where
            return []
        if stored is None and not self.session.book.payloads(digest):
            return [Content("The fixture holds no request, so its tools and schema are not known.")]
        return []

    def update_names(self, names: frozenset[str]) -> None:
        """Files changed: examine them in a thread and show what was found."""
        self._examine([name for name in names if name.endswith(SUFFIX)])

    @work(thread=True, group="examine", exit_on_error=False)
    def _examine(self, names: list[str]) -> None:
        worker = get_current_worker()
        for start in range(0, len(names), BATCH):
            if worker.is_cancelled:
                return
            batch = names[start : start + BATCH]
            found = [(name, self.book.examine(name)) for name in batch]
            self.app.call_from_thread(self._examined, found)

    def _is_written(self, name: str, entry: FixtureEntry | None) -> bool:
        """Whether a file that is gone has a draft: its row is the way to that."""
        draft = self.session.drafts.get(name.removesuffix(SUFFIX))
        return entry is None and draft is not None and draft.touched

    def _examined(self, found: list[tuple[str, FixtureEntry | None]]) -> None:
        self.book.apply(kept for kept in found if not self._is_written(*kept))
        self.fixtures.update_rows()
        self.post_message(self.Decided(""))
