"""The state of one workbench: misses, fixtures, drafts and decisions, without a user interface.

All methods are called from one thread, except where they say otherwise; ``LogIntake.read`` may
run in others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from workbench.core.apis.table import view
from workbench.core.digest import is_digest, short
from workbench.core.fixture.names import SUFFIX, digest_of
from workbench.core.fixture.request_storage import STORED_REQUEST_LIMIT
from workbench.core.misses.alike import AlikeMisses
from workbench.core.misses.index import IntakeEvent, MissIndex
from workbench.core.misses.intake import LogIntake
from workbench.core.misses.miss import Miss, is_fallback
from workbench.core.misses.turns import MissTurns
from workbench.core.replies.profile_names import SERVE_PROFILE, ProfileName
from workbench.core.requests.volatile_kinds import Kind
from workbench.core.user_error import NotFoundError
from workbench.io.fixture.equivalents import EquivalentFixtures
from workbench.io.fixture.folders import is_other_folder
from workbench.io.fixture.ignore_list import FILE_NAME as IGNORE_FILE
from workbench.io.fixture.ignore_list import IgnoreList
from workbench.io.fixture.store import FileStamp, FixtureChangedError, FixtureStore
from workbench.io.logs.spool import Spool
from workbench.io.state_folder import StateFolder
from workbench.session.answers.decisions import Decisions, SaveRefusedError, SecretFoundError
from workbench.session.batch_job import BatchJob
from workbench.session.drafts.store import DraftStore
from workbench.session.fixture.fixture_files import FixtureFiles
from workbench.session.misses.held import HeldRequests
from workbench.session.misses.outdated import OutdatedTurns
from workbench.session.misses.stale import StaleMisses
from workbench.session.misses.states import AnsweredBy, MissState
from workbench.session.undo import UndoEntry, UndoHistory

# What neither the first rows nor most commands need is imported where it is used.
if TYPE_CHECKING:
    from workbench.core.fixture.rules import Context
    from workbench.core.requests.nearest import Nearest
    from workbench.io.fixture.nearest_search import NearestIndex
    from workbench.session.answers.upstream import UpstreamDrafts
    from workbench.session.drafts.drafting import Drafting
    from workbench.session.evals.reports import ReportIndex
    from workbench.session.fixture.index import FixtureEntry, FixtureIndex
    from workbench.session.recordings.index import RecordingIndex
    from workbench.session.suite.suite import Suite


class Session:
    """One fixtures folder and the logs read for it.

    It owns the parts, and has the use cases that need several of them.

    Attributes:
        profile: how the server writes its replies, as the settings say.
        normalise: the kinds of text in which a request may differ from that of its fixture.
        suite: the command of ``workbench run``; None without one.
        server_url: of the server whose misses these are, if known.
        upstream_url: of the API that may be asked for drafts; "" for none.
        server_up: whether it answered last time; None before the first.
        server_profile: how it says that it writes replies; "" where it did not say.
    """

    def __init__(
        self,
        store: FixtureStore,
        state_folder: StateFolder,
        *,
        store_request: bool = True,
        request_limit: int = STORED_REQUEST_LIMIT,
        profile: ProfileName = SERVE_PROFILE,
        normalise: Collection[Kind] = (),
        spool: Spool | None = None,
    ) -> None:
        self.store = store
        self.state_folder = state_folder
        self.spool = spool or Spool()
        self.intake = LogIntake(self.spool)
        self.miss_index = MissIndex(self.spool)
        self.alike = AlikeMisses(self.miss_index.misses)
        self.turns = MissTurns()
        self.files = FixtureFiles(store, self.miss_index)
        self.drafts = DraftStore(state_folder, store.folder)
        self.ignore = IgnoreList(store.folder)
        self.history = UndoHistory(store)
        self.decisions = Decisions(store, self.drafts, self.ignore, self.history)
        self.batch_job = BatchJob()
        self.equivalents = EquivalentFixtures(store)
        self.stale = StaleMisses(lambda: self.nearest, self.equivalents, self.miss_index)
        self.outdated = OutdatedTurns(store, self.miss_index, self.turns, self.decisions.undone)
        self.held = HeldRequests()
        # The states in which decisions of this session left files, until their news is read.
        self._written: dict[str, FileStamp | None] = {}
        self.suite: Suite | None = None
        self.server_url: str | None = None
        self.upstream_url = ""
        self.server_up: bool | None = None
        self.server_profile = ""
        self.profile = profile
        self.normalise = normalise
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
            context=lambda: self.context,
        )

    @property
    def context(self) -> Context:
        """What the rules know of every fixture."""
        from workbench.core.fixture.rules import Context

        return Context(normalise=self.normalise, profile=self.profile)

    @cached_property
    def fixtures(self) -> FixtureIndex:
        """The files of the folder."""
        from workbench.session.fixture.index import FixtureIndex

        return FixtureIndex(self.store, self.context)

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
        known, last_run = len(self.miss_index.misses), self.miss_index.last_run
        changed = self.miss_index.apply(events)
        digests = changed - self.miss_index.unsupported.keys()
        for miss in self.turns.add(self.miss_index.misses[digest] for digest in digests):
            changed |= self.alike.add(miss.digest)
        is_new = len(self.miss_index.misses) != known
        for digest in digests:
            if is_new or len(self.miss_index.misses[digest].dumps) > 1:
                self.files.look_at(digest)
        for digest in digests & self.drafts.drafts.keys():
            self.drafting.take_request(digest)
        self.stale.note_misses(digests)
        changed |= self.outdated.look_at(d for d in digests if self.miss_index.misses[d].turn > 1)
        if self.miss_index.last_run != last_run:
            changed |= {key for key, row in self.miss_index.rows.items() if row.run == last_run}
        return changed

    def take_files(self, names: Iterable[str]) -> set[str]:
        """Take in changed files of the fixtures folder; returns the digests of the misses that
        changed with them. A file that is as this session left it is ignored.
        """
        changed: set[str] = set()
        names = list(names)
        self.stale.note_files(names)
        for name in names:
            if name == IGNORE_FILE:
                changed |= self._reload_ignore_list()
            stem = name.removesuffix(SUFFIX)
            if digest_of(stem) in self.miss_index.misses and not self._is_own_write(stem):
                changed |= self._look_at(digest_of(stem))
        return changed

    def take_examined(
        self, examined: Mapping[str, FixtureEntry | None], waited: Mapping[str, int]
    ) -> None:
        """Take in what was found in files of the fixtures folder; see ``FixtureIndex.apply``."""
        found = {file: entry or self._with_only_draft(file) for file, entry in examined.items()}
        self.fixtures.apply(found, waited)

    def _with_only_draft(self, file: str) -> FixtureEntry | None:
        """The row of a deleted file, if it has an edited draft that only the row leads to."""
        name = file.removesuffix(SUFFIX)
        is_listed = digest_of(name) in self.miss_index.misses
        is_needed = not is_listed and self.drafting.is_written(name)
        return self.fixtures.entries.get(file) if is_needed else None

    def _is_own_write(self, name: str) -> bool:
        """Whether a changed file is as the last decision left it; asked once for each."""
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
        named = {key: self.ignore_key(key) for key in self.miss_index.rows}
        return {key for key, name in named.items() if before.get(name) != now.get(name)}

    # Queries

    def misses(self) -> list[Miss]:
        """The misses that need something more from a person, in the order first seen."""
        found = self.miss_index.misses.values()
        return [miss for miss in found if not self.state(miss.digest).is_done]

    @property
    def unsupported(self) -> list[Miss]:
        """The unsupported requests that nobody skipped or ignored."""
        rows = self.miss_index.unsupported.values()
        return [row for row in rows if not self.state(row.key).is_done]

    def ignore_key(self, key: str) -> str:
        """The entry of a row in the ignore list: its digest, or its method and path."""
        row = self.miss_index.unsupported.get(key)
        return row.name if row is not None else key

    def state(self, key: str) -> MissState:
        """The state of a row, by its key."""
        if key in self.miss_index.unsupported:
            if self.ignore_key(key) in self.ignore.reasons:
                return MissState("ignored")
            return MissState("skipped" if key in self.decisions.skipped else "unsupported")
        held = self.held.get(key)
        if held is not None:
            return MissState("held", seconds=held.waited)
        if key in self.files and self.files.first_open(key) is None:
            if self.files.broken(key) is not None:
                return MissState("broken")
            is_ours = key in self.decisions.saved or key in self.decisions.rekeyed
            by: AnsweredBy = "saved" if is_ours else "elsewhere"
            return MissState("answered", by, is_verified=key in self.files.verified)
        if self.stale.equivalent(key) is not None:
            return MissState("answered", "equivalent")
        if key in self.ignore.reasons:
            return MissState("ignored")
        if key in self.decisions.skipped:
            return MissState("skipped")
        return self._writing_state(key)

    def _writing_state(self, digest: str) -> MissState:
        name = self.open_name(digest)
        draft = self.drafts.get(name)
        if draft is not None and draft.touched:
            assessment = self.drafting.assessments.get(name)
            errors = assessment.faults if assessment else 0
            return MissState("draft", errors=errors)
        miss = self.miss_index.misses.get(digest)
        if miss is None or miss.summary is None:
            return MissState("no dump")
        if self.stale.is_stale(digest):
            return MissState("stale")
        is_outdated = digest in self.outdated
        is_blocked = is_outdated or miss.summary.quotes_fallback
        return MissState("blocked" if is_blocked else "missing", is_outdated=is_outdated)

    def open_name(self, digest: str) -> str:
        """The name of the fixture that a miss needs next: of several requests that share its
        digest, for the first that no file answers.
        """
        number = self.files.first_open(digest)
        if number is None:
            return digest
        return self.drafting.name_for(digest, self.miss_index.payload(digest, number))

    @property
    def outdated_count(self) -> int:
        """How many misses quote an answer that was changed or undone since."""
        return sum(self.state(digest).is_outdated for digest in self.outdated)

    def earlier_turn(self, digest: str) -> str | None:
        """For a blocked miss: the digest of the turn that got the fallback, if it is listed."""
        payload = self.miss_index.payload(digest) or {}
        for earlier, shared in self.turns.earlier(payload):
            answers = [answer for answer in view(payload).answers if answer.position == shared]
            if any(map(is_fallback, answers)):
                return earlier
        return None

    def is_answered(self, digest: str) -> bool:
        """Whether a usable fixture answers a miss."""
        if digest in self.files:
            return self.files.first_open(digest) is None and self.files.broken(digest) is None
        return self.stale.equivalent(digest) is not None

    def continues(self, payload: Mapping[str, Any]) -> tuple[str, int] | None:
        """The earlier turn of a request: the listed miss with the most messages that the request
        begins with, and their number; None for the first turn of a conversation.
        """
        if view(payload).turn == 1:
            return None
        beginnings = self.turns.earlier(payload)
        return beginnings[-1] if beginnings else None

    def nearest_of(self, digest: str) -> Nearest | None:
        """The fixture nearest to a miss, if any is like it. Slow, for a thread. Raises as
        ``NearestIndex.nearest``.
        """
        payload = self.miss_index.payload(digest)
        if payload is None:
            return None
        equivalent = self.stale.equivalent(digest)
        if equivalent is not None:
            return self.nearest.equivalent(equivalent, view(payload))
        in_same_run = partial(self.miss_index.in_one_run, digest)
        return self.nearest.nearest(digest, view(payload), in_same_run=in_same_run)

    # Decisions

    def save(
        self,
        name: str,
        *,
        overwrite: bool = False,
        secrets: bool = False,
        decision: list[UndoEntry] | None = None,
    ) -> None:
        """Check and save the draft of a fixture. Arguments and errors are those of
        ``Decisions.save``.
        """
        findings = self.drafting.checked(name).findings
        stamp = self.decisions.save(
            self.drafting.open(name),
            findings,
            overwrite=overwrite,
            secrets=secrets,
            decision=decision,
        )
        self._written[name] = stamp
        self._look_at(digest_of(name))

    def save_many(self, digests: Iterable[str]) -> Iterator[tuple[str, bool]]:
        """Save the drafts of ``digests`` as one decision, one per step. Yields each digest with
        whether it was saved: untouched drafts are left, and those with errors or a secret, and
        those whose file changed or cannot be written.
        """
        decision: list[UndoEntry] = []
        for digest in digests:
            name = self.open_name(digest)
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
            # What was found in them is no longer so, also before the change of the file is noticed.
            files = [f"{name}{SUFFIX}" for name in entry.files]
            self.fixtures.announce(file for file in files if file in self.fixtures.entries)
            yield entry

    def _look_at(self, digest: str) -> set[str]:
        """Look at the files of a digest again; returns the misses whose state may have changed."""
        self.files.look_at(digest)
        return {digest} | self.outdated.look_at(self.outdated.after(digest))

    @property
    def read_elsewhere(self) -> str:
        """The fixtures folder that the server of the log reads, if it is not that of this session;
        else "".
        """
        listening = self.miss_index.listening
        named = listening.fixtures if listening is not None else ""
        return named if is_other_folder(named, self.store.folder) else ""

    def find(self, prefix: str) -> str:
        """The digest of the miss that begins with ``prefix``.

        Raises:
            NotFoundError: none or several do, or it is not a digest.
        """
        if not prefix:
            raise NotFoundError("the digest is empty")
        found = [digest for digest in self.miss_index.misses if digest.startswith(prefix)]
        if len(found) == 1:
            return found[0]
        if found:
            raise NotFoundError(
                f"{prefix} begins {len(found)} misses: {', '.join(map(short, found[:5]))}"
            )
        kind = "miss" if is_digest(prefix) else "digest of a miss"
        raise NotFoundError(f"{prefix} is no {kind} of this log")

    def find_answerable(self, prefix: str) -> str:
        """The same, else the digest of a fixture: the log of the last run knows no miss that was
        answered before it. Raises as ``find``.
        """
        if prefix and not any(digest.startswith(prefix) for digest in self.miss_index.misses):
            with suppress(NotFoundError):
                return digest_of(self.store.find(prefix))
        return self.find(prefix)
