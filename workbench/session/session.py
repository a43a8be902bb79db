"""The state of one workbench: misses, fixtures, drafts and decisions, without a user interface.

All methods must be called from one thread, unless documented otherwise; ``LogIntake.read`` may run
in other threads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workbench.core.fixture.names import digest_of, file_name, name_of
from workbench.core.fixture.request_storage import STORED_REQUEST_LIMIT
from workbench.core.misses.index import IntakeEvent, MissIndex
from workbench.core.misses.intake import LogIntake
from workbench.core.misses.row_texts import AlikeMisses
from workbench.core.misses.turns import MissTurns
from workbench.core.replies.profile_names import ProfileName
from workbench.core.requests.volatile import VolatileKind
from workbench.io.files.stamps import FileStamp
from workbench.io.fixture.equivalents import EquivalentFixtures
from workbench.io.fixture.ignore_list import FILE_NAME as IGNORE_FILE
from workbench.io.fixture.ignore_list import IgnoreList
from workbench.io.fixture.store import FixtureChangedError, FixtureStore
from workbench.io.logs.spool import Spool
from workbench.io.state_folder import StateFolder
from workbench.session.answers.decisions import Decisions, SaveRefusedError, SecretFoundError
from workbench.session.batch_job import BatchJob
from workbench.session.drafts.store import DraftStore
from workbench.session.fixture.miss_fixtures import MissFixtures
from workbench.session.misses.held import HeldRequests
from workbench.session.misses.outdated import OutdatedTurns
from workbench.session.misses.stale import StaleMisses
from workbench.session.misses.states import ignore_key, open_name
from workbench.session.server import KnownServer
from workbench.session.undo import UndoEntry, UndoHistory

# Modules that neither the first rows nor most commands need are imported where they are used.
if TYPE_CHECKING:
    from workbench.io.fixture.nearest_search import NearestIndex
    from workbench.session.answers.upstream import UpstreamDrafts
    from workbench.session.drafts.drafting import Drafting
    from workbench.session.evals.reports import ReportIndex
    from workbench.session.fixture.index import FixtureEntry, FixtureIndex
    from workbench.session.recordings.index import RecordingIndex
    from workbench.session.rekey.changes import RekeyedChanges
    from workbench.session.suite.suite import Suite


class Session:
    """One fixtures folder and the logs read for it.

    It owns the parts, and has the use cases that need several of them.

    Attributes:
        changed: the name of the fixture that was changed last, and its previous content; or None.
        suite: the command of ``workbench run``; None without one.
        server: the server whose misses these are.
        upstream_url: URL of the API for drafts; "" for none.
    """

    def __init__(
        self,
        store: FixtureStore,
        state_folder: StateFolder,
        *,
        store_request: bool = True,
        request_limit: int = STORED_REQUEST_LIMIT,
        profile: ProfileName | None = None,
        normalise: Collection[VolatileKind] = (),
        spool: Spool | None = None,
    ) -> None:
        self.store = store
        self.state_folder = state_folder
        self.spool = spool or Spool()
        self.intake = LogIntake(self.spool)
        self.miss_index = MissIndex(self.spool)
        self.alike = AlikeMisses(self.miss_index.misses)
        self.turns = MissTurns()
        self.miss_fixtures = MissFixtures(store, self.miss_index)
        self.drafts = DraftStore(state_folder, store.folder)
        self.ignore = IgnoreList(store.folder)
        self.history = UndoHistory(store)
        self.decisions = Decisions(store, self.drafts, self.ignore, self.history)
        self.batch_job = BatchJob()
        self.equivalents = EquivalentFixtures(store)
        self.stale = StaleMisses(lambda: self.nearest, self.equivalents, self.miss_index)
        self.outdated = OutdatedTurns(store, self.miss_index, self.turns, self.decisions.taken_back)
        self.server = KnownServer(profile, normalise)
        self.held = HeldRequests(self.server)
        # The states in which decisions of this session left files, until their news is read.
        self._written: dict[str, FileStamp | None] = {}
        self.changed: tuple[str, Mapping[str, Any]] | None = None
        self.suite: Suite | None = None
        self.upstream_url = ""
        self._store_request = store_request
        self._request_limit = request_limit

    @cached_property
    def drafting(self) -> Drafting:
        """Makes and checks the drafts."""
        from workbench.session.drafts.drafting import Drafting

        return Drafting(
            self.store,
            self.drafts,
            self.miss_index,
            store_request=self._store_request,
            request_limit=self._request_limit,
            serving=lambda: self.server.serving,
        )

    @cached_property
    def fixtures(self) -> FixtureIndex:
        """The files of the folder."""
        from workbench.session.fixture.index import FixtureIndex

        return FixtureIndex(self.store, lambda: self.server.serving)

    @cached_property
    def nearest(self) -> NearestIndex:
        """The requests of the fixtures, to find the one nearest to a miss."""
        from workbench.io.fixture.nearest_search import NearestIndex

        return NearestIndex(self.store)

    @cached_property
    def upstream(self) -> UpstreamDrafts:
        """Drafts that the upstream API writes."""
        from workbench.session.answers.upstream import UpstreamDrafts

        return UpstreamDrafts(self.upstream_url)

    @cached_property
    def rekeyed_changes(self) -> RekeyedChanges:
        """The changes in the requests of re-keyed fixtures."""
        from workbench.session.rekey.changes import RekeyedChanges

        return RekeyedChanges(self.state_folder)

    @cached_property
    def recordings(self) -> RecordingIndex:
        """The recordings of the project."""
        from workbench.session.recordings.index import RecordingIndex

        return RecordingIndex(self.state_folder.recordings)

    @cached_property
    def evals(self) -> ReportIndex:
        """The reports of golden queries."""
        from workbench.session.evals.reports import ReportIndex

        return ReportIndex(self.state_folder.evals)

    def close(self) -> None:
        """Delete temporary files."""
        self.spool.close()

    # News

    def take_log(self, events: Iterable[IntakeEvent]) -> set[str]:
        """Add the events of a log; returns the keys of the changed rows, also of those whose run
        is no longer the last.
        """
        before, last_run = len(self.miss_index.misses), self.miss_index.last_run
        changed = self.miss_index.apply(events)
        digests = changed - self.miss_index.unsupported.keys()
        for miss in self.turns.add(self.miss_index.misses[digest] for digest in digests):
            changed |= self.alike.add(miss.digest)
        is_new = len(self.miss_index.misses) != before
        for digest in digests:
            has_several = len(self.miss_index.misses[digest].dumps) > 1
            if is_new or has_several or self.store.has_variants(digest):
                self.miss_fixtures.look_at(digest)
        for digest in digests & self.drafts.drafts.keys():
            self.drafting.take_request(digest)
        self.stale.note_misses(digests)
        changed |= self.outdated.look_at(
            d for d in digests if self.miss_index.misses[d].is_later_turn
        )
        if self.miss_index.last_run != last_run:
            changed |= {key for key, row in self.miss_index.rows.items() if row.run == last_run}
        return changed

    def take_files(self, files: Iterable[str]) -> set[str]:
        """Take in changed files of the fixtures folder; returns the digests of the misses that
        changed with them. A file that is as this session left it is ignored.
        """
        changed: set[str] = set()
        files = list(files)
        self.stale.note_files(files)
        for file in files:
            if file == IGNORE_FILE:
                changed |= self._reload_ignore_list()
            name = name_of(file)
            if name is None or digest_of(name) not in self.miss_index.misses:
                continue
            if not self._is_own_write(name):
                changed |= self._look_at(digest_of(name))
        return changed

    def take_examined(
        self, examined: Mapping[str, FixtureEntry | None], waited: Mapping[str, int]
    ) -> None:
        """Take in what was found in files of the fixtures folder; see ``FixtureIndex.apply``."""
        news = {file: entry or self._with_only_draft(file) for file, entry in examined.items()}
        self.fixtures.apply(news, waited)

    def _with_only_draft(self, file: str) -> FixtureEntry | None:
        """The row of a deleted file, if it has an edited draft that only the row leads to."""
        name = name_of(file)
        if name is None:
            return None
        is_listed = digest_of(name) in self.miss_index.misses
        is_needed = not is_listed and self.drafting.is_written(name)
        return self.fixtures.entries.get(file) if is_needed else None

    def _is_own_write(self, name: str) -> bool:
        """True if a changed file is as the last decision left it; can be checked once for each."""
        if name not in self._written:
            return False
        return self._written.pop(name) == self.store.stamp(name)

    def _reload_ignore_list(self) -> set[str]:
        before = self.ignore.reasons
        try:
            self.ignore.load()
        except OSError:
            return set()
        now = self.ignore.reasons
        named = {key: ignore_key(self, key) for key in self.miss_index.rows}
        return {key for key, name in named.items() if before.get(name) != now.get(name)}

    # Decisions

    def save(
        self,
        name: str,
        *,
        overwrite: bool = False,
        secrets: bool = False,
        decision: list[UndoEntry] | None = None,
    ) -> None:
        """Check and save the draft of a fixture. For arguments and errors see
        ``Decisions.save``.
        """
        findings = self.drafting.checked(name).findings
        before = self.store.current(name)
        stamp = self.decisions.save(
            self.drafting.open(name),
            findings,
            text=self.drafting.file_text(name),
            overwrite=overwrite,
            secrets=secrets,
            decision=decision,
        )
        self._written[name] = stamp
        if before is not None:
            self.changed = name, before
        self._look_at(digest_of(name))

    def save_many(self, digests: Iterable[str]) -> Iterator[tuple[str, bool]]:
        """Save the drafts of ``digests`` as one decision, one per step. Yields each digest, and
        True if it was saved. Untouched drafts are left, and so are drafts with errors or a secret,
        or whose file changed or cannot be written.
        """
        decision: list[UndoEntry] = []
        for digest in digests:
            name = open_name(self, digest)
            if not self.drafting.is_written(name):
                yield digest, False
                continue
            try:
                self.save(name, decision=decision)
            except (SaveRefusedError, SecretFoundError, FixtureChangedError, OSError):
                yield digest, False
            else:
                yield digest, True

    def undo(self) -> Iterator[UndoEntry]:
        """Undo the last decision, one entry per step. Raises as ``UndoHistory.undo``."""
        for entry in self.history.undo():
            for name in entry.files:
                self._written[name] = self.store.stamp(name)
                self._look_at(digest_of(name))
            # Their findings are out of date, even before the change of the file is noticed.
            files = [file_name(name) for name in entry.files]
            self.fixtures.announce(file for file in files if file in self.fixtures.entries)
            yield entry

    def _look_at(self, digest: str) -> set[str]:
        """Look at the files of a digest again; returns the misses whose state may have changed."""
        self.miss_fixtures.look_at(digest)
        return {digest} | self.outdated.look_at(self.outdated.after(digest))
