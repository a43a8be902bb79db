"""The Fixtures tab: the files there are, what was found in them, and the same editor."""

from __future__ import annotations

from functools import partial
from time import monotonic, sleep
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.worker import Worker, get_current_worker

from workbench.core.digest import short
from workbench.core.fixtures.document import FixtureError
from workbench.io.store import SUFFIX, FixtureChangedError
from workbench.session.fixtures import mending as fixture_mending
from workbench.session.fixtures.index import FixtureBook, FixtureEntry
from workbench.session.fixtures.mending import FileMending
from workbench.session.session import Session
from workbench.session.wording import cannot_write, counted
from workbench.tui.clipboard import copy
from workbench.tui.fixture_list import FixtureList
from workbench.tui.messages import ConfirmAsked, CountsChanged
from workbench.tui.notices import broken_notice, difference_lines, findings_notice
from workbench.tui.save_keys import SaveKeys

# So often what was examined is shown, and how far that is.
SHOW_EVERY = 0.5
# After so many files the thread that examines them lets others work.
PAUSE_EVERY, PAUSE = 4, 0.001
# Fewer files are examined without a word.
MANY = 300
# Of so many files it is shown how they would be mended.
SHOWN_MENDINGS = 20


class FixturesTab(SaveKeys):
    """The list of fixtures; a file whose name is no digest is listed and not edited."""

    BINDING_GROUP_TITLE = "Fixtures"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", "Undo",
                id="fixture.undo", tooltip="Take back the last save, fix or deletion"),
        Binding("F", "fix_all", "Fix all",
                id="fixture.fix_all", tooltip="Make every certain fix in the files shown (asks)"),
        Binding("D", "delete", "Delete",
                id="fixture.delete", tooltip="Delete the file (asks); u restores it"),
        Binding("U", "toggle_unused", "Unused", show=False,
                id="fixture.unused", tooltip="Only files that were not served, or all"),
        Binding("d", "difference", "Difference", show=False,
                id="fixture.difference", tooltip="What the draft changes in the file on disk"),
        Binding("y", "copy_digest", "Copy", show=False,
                id="fixture.copy", tooltip="Copy the digest"),
    ]
    # fmt: on

    def __init__(self, session: Session) -> None:
        self.book = FixtureBook(session.store)
        self.fixtures = FixtureList(self.book, session.book.served, id="fixture-list")
        # Who was given each file last: what others found of it is older.
        self._examiners: dict[str, Worker[None]] = {}
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
        broken = self.session.files.unusable(digest)
        if broken is not None:
            return broken_notice(self.session, digest, broken)
        entry = self.book.entries.get(f"{digest}{SUFFIX}")
        lines = findings_notice(entry.findings if entry else ())
        try:
            stored = self.session.draft(digest).document.request
        except FixtureError:  # of a draft: the answer says where
            return lines
        if stored is None and not self.session.book.payloads(digest):
            text = "The fixture holds no request, so its tools and schema are not known."
            lines.append(Content(text))
        return lines

    # Reading the folder

    def update_names(self, names: frozenset[str]) -> None:
        """Files changed: list them at once, examine them in a thread and show what was found."""
        ours = sorted(name for name in names if name.endswith(SUFFIX))
        self.book.announce(ours)
        self.show_news()
        if ours:
            self._examiners |= dict.fromkeys(ours, self._examine(ours))

    @work(thread=True, group="examine", exit_on_error=False)
    def _examine(self, names: list[str]) -> None:
        worker = get_current_worker()
        found: list[tuple[str, FixtureEntry | None]] = []
        self.app.call_from_thread(self._examined, worker, found, 0, len(names))
        shown = monotonic()
        for number, name in enumerate(names, start=1):
            if worker.is_cancelled:
                return
            found.append((name, self.book.examine(name)))
            if number % PAUSE_EVERY == 0:
                sleep(PAUSE)
            if monotonic() - shown > SHOW_EVERY or number == len(names):
                self.app.call_from_thread(self._examined, worker, found, number, len(names))
                found, shown = [], monotonic()

    def _examined(
        self,
        worker: Worker[None],
        found: list[tuple[str, FixtureEntry | None]],
        number: int,
        total: int,
    ) -> None:
        newest = [one for one in found if self._examiners[one[0]] is worker]
        self.book.apply(one for one in newest if not self._is_written(*one))
        if total >= MANY:  # fewer may have changed while these are examined
            is_reading = number < total and not worker.is_cancelled
            told = f"Reading fixtures {number:,} of {total:,} · esc stops"
            self.fixtures.reading = told if is_reading else ""
        self.show_news()
        self.post_message(CountsChanged())

    def show_rows(self) -> None:
        self.fixtures.update_rows()

    def _is_written(self, name: str, entry: FixtureEntry | None) -> bool:
        """Whether a file that is gone has a draft to which its row is the only way."""
        digest = name.removesuffix(SUFFIX)
        if entry is not None or digest in self.session.book.misses:
            return False
        draft = self.session.drafts.get(digest)
        return draft is not None and draft.touched

    def action_leave(self) -> None:
        """Escape: reading the folder stops; only then it leads back."""
        if not self.fixtures.reading:
            super().action_leave()
            return
        self.workers.cancel_group(self, "examine")
        self.say(f"Stopped. {self.fixtures.reading.removesuffix(' · esc stops')}.")
        self.fixtures.reading = ""
        self.fixtures.update_title()

    # Keys

    def on_fixture_list_request_wanted(self, event: FixtureList.RequestWanted) -> None:
        event.stop()
        self.focus_pane("request")

    def action_difference(self) -> None:
        if self.wanted_digest() is not None:
            self.show_difference()

    def action_copy_digest(self) -> None:
        digest = self.wanted_digest()
        if digest is not None:
            self.say(copy(self.app, self.session.state_folder, digest))

    def action_toggle_unused(self) -> None:
        """Show only the fixtures that were not served since the log begins."""
        if not self.session.book.served and not self.fixtures.only_unused:
            self.say("The log tells of no served fixture: which are unused cannot be told.")
            return
        self.fixtures.toggle_unused()
        many = counted(len(self.fixtures.keys), "fixture")
        self.say(
            f"{many} that the log shows no hit of, as far back as it goes. U shows all."
            if self.fixtures.only_unused
            else "All fixtures are shown."
        )

    def action_delete(self) -> None:
        """Delete the file of the selected row, after asking."""
        digest = self.subject
        base = self.session.store.stamp(digest) if digest else None
        if digest is None or base is None:
            self.say("Only fixtures are deleted here: this is none.")
            return

        def delete() -> None:
            try:
                self.session.decisions.rewrite(digest, None, base=base)
            except FixtureChangedError:
                self.say("Changed by another program meanwhile: not deleted.", "warning")
            except OSError as error:
                self.say(f"Not deleted: {cannot_write(self.session.store.folder, error)}.", "error")
            else:
                self.say(f"Deleted {short(digest)}. u restores it.")
                self.decided(digest)

        question, choices = f"Delete {short(digest)}….json?", "y deletes, any other key keeps it."
        self.post_message(ConfirmAsked(question, choices, delete))

    @work(group="fix", exit_on_error=False)
    async def action_fix_all(self) -> None:
        """Make every fix that is certain in the files shown, after showing them."""
        if self.is_busy():
            return
        began_in, long_work = self.app.focused, self.session.long_work
        entries = [self.book.entries[key] for key in self.fixtures.keys]
        fixable = [e.digest for e in entries if e.digest and any(f.fix for f in e.findings)]
        found: list[FileMending | None] = []
        work_out = partial(fixture_mending.work_out, self.session)
        async for mending in long_work.run(map(work_out, fixable)):
            found.append(mending)
            if long_work.is_to_be_told():
                self.say(f"Looking for fixes in {len(found):,} of {len(fixable):,} · esc stops")
        mendings = [mending for mending in found if mending is not None]
        if len(found) < len(fixable):
            self.say("Stopped: nothing was mended.")
        elif not mendings:
            self.say("Nothing here has a fix that is certain, or it has a draft.")
        elif not self.went_on(began_in, "F"):
            self._ask_to_mend(mendings)

    def _ask_to_mend(self, mendings: list[FileMending]) -> None:
        self._show_mendings(mendings)
        kinds = fixture_mending.titles(mendings)
        what = ", ".join(f"{title} ({times})" for title, times in kinds[:3])
        more = f" and {len(kinds) - 3} more kinds" if len(kinds) > 3 else ""
        files = counted(len(mendings), "file")
        self.post_message(
            ConfirmAsked(
                f"Mend {files}: {what}{more}?",
                "y does, any other key not.",
                partial(self._fix, mendings),
                self._mend_nothing,
            )
        )

    def _mend_nothing(self) -> None:
        self.say("Nothing was mended.")
        self.show_anew()

    def _show_mendings(self, mendings: list[FileMending]) -> None:
        lines: list[Content] = []
        for mending in mendings[:SHOWN_MENDINGS]:
            lines += [Content(f"{short(mending.digest)}….json"), Content("")]
            lines += difference_lines(mending.before, mending.mended.text)[2:]
            lines.append(Content(""))
        if len(mendings) > SHOWN_MENDINGS:
            lines.append(Content(f"… and {len(mendings) - SHOWN_MENDINGS:,} more files"))
        self.view.request.show((), lines)
        self.show_pane("request")

    @work(group="fix", exit_on_error=False)
    async def _fix(self, mendings: list[FileMending]) -> None:
        """Write the mended files and say what was done."""
        if self.is_busy():
            return
        long_work, total = self.session.long_work, len(mendings)
        written = left = 0
        async for _, is_written in long_work.run(fixture_mending.make(self.session, mendings)):
            written += is_written
            left += not is_written
            if long_work.is_to_be_told():
                self.say(f"Mending {written + left:,} of {total:,} · esc stops")
        rest = f" {left:,} left: changed meanwhile, or not writable." if left else ""
        if written + left < total:
            rest += f" Stopped: {total - written - left:,} not looked at."
        self.say(f"Mended {counted(written, 'file')}.{rest} u undoes all.")
        self.decided()
        self.show_anew()
