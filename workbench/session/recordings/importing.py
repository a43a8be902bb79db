"""Import: fixtures and a recording from the HTTP exchanges that other programs recorded."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from workbench.core.apis.paths import counting_at, plain_at, received
from workbench.core.apis.reading import Reading
from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.table import api_of, view
from workbench.core.fixture.recorded import (
    REPEATS_KEY,
    NoFixtureError,
    is_tried_again,
    read_reply,
)
from workbench.core.formats import FormatError
from workbench.core.imports.captures import Attached, Capture, UnreadableCapture, captures
from workbench.core.recordings.exchanges import End, Exchange, Sent
from workbench.core.recordings.journal import line
from workbench.core.request_body import RequestError, parse_request
from workbench.core.requests.view import Payload
from workbench.core.written.request import WrittenRequest, as_written
from workbench.io.fixture.earlier import EarlierRequests
from workbench.io.fixture.reply_saver import HasFixtureError, ReplySaver
from workbench.io.fixture.store import FixtureStore
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.io.recordings.journal import SUFFIX, JournalWriter
from workbench.io.recordings.writers import new_header
from workbench.io.state_folder import StateFolder, make_folder


@dataclass(slots=True)
class ImportedEntry:
    """The result for one entry of a file.

    Attributes:
        fixture: the path of its fixture, if it has one.
        draft: the path of its draft, if it has one.
        reason: why it has neither, or a remark.
        is_chat: it is a request that fixtures answer. Files contain all traffic of a program.
    """

    file: str
    entry: str
    digest: str | None = None
    fixture: str | None = None
    draft: str | None = None
    reason: str = ""
    is_chat: bool = True

    @property
    def is_missing(self) -> bool:
        return self.is_chat and self.fixture is None and self.draft is None


class Import:
    """Saves the recorded replies of several files.

    Args:
        saver: saves them in the folder of ``fixtures``, or for a dry run in a copy of it.
        state_folder: gets the recordings; None: there are none.

    Attributes:
        entries: what became of those so far.
    """

    def __init__(
        self,
        saver: ReplySaver,
        fixtures: FixtureStore,
        state_folder: StateFolder | None,
    ) -> None:
        self.entries: list[ImportedEntry] = []
        self._saver = saver
        self._fixtures = fixtures
        self._state_folder = state_folder
        # Answers to which later requests refer.
        self._earlier = EarlierRequests(StoredFixtures(fixtures))
        self._errors: list[_Imported] = []

    def add(self, name: str, content: object, attached: Attached | None = None) -> None:
        """Import the entries of a file; its exchanges become a recording. Several replies to the
        same request become a fixture that sends them one after the other.

        Args:
            content: content of a HAR file or a cassette.
            attached: reads the files that it refers to.

        Raises:
            CaptureError: it is neither.
        """
        recording = _ImportedRecording()
        replies: dict[tuple[str, str], list[_Imported]] = {}
        for capture in captures(content, attached):
            entry = ImportedEntry(name, capture.place)
            self.entries.append(entry)
            imported = self._read(entry, capture, recording)
            if imported is not None:
                replies.setdefault(imported.request, []).append(imported)
        for to_one in replies.values():
            self._save_all(to_one)
        if recording.exchanges and self._state_folder is not None:
            recording.write(self._state_folder, Path(name).stem if name != "-" else "imported")

    def _read(
        self,
        entry: ImportedEntry,
        capture: Capture | UnreadableCapture,
        recording: _ImportedRecording,
    ) -> _Imported | None:
        """An entry with its reply; None where it has none, for the reason that it then has."""
        if isinstance(capture, UnreadableCapture):
            entry.reason = capture.reason
            return None
        if not capture.is_chat:
            entry.reason, entry.is_chat = _without_fixture(capture.url), False
            return None
        try:
            url = urlsplit(capture.url)
            request = (
                received(unquote(url.path), url.query, parse_request(capture.request_body)) or {}
            )
            resolved = self._earlier.resolve(request)
            entry.digest = digest = view(resolved).digest
            written = as_written(
                resolved,
                capture.request_headers,
                url.query,
                url.path,
                more=[unquote(url.password or "")],
            )
            payload = written.payload
            entry.reason = api_of(payload).request.unsupported(payload) or _repeated(
                capture, written
            )
            if not entry.reason:
                recording.add(capture, payload, digest)
        except (RequestError, FormatError, UnknownIDError) as error:
            entry.reason = str(error)
        if entry.reason:
            return None
        status = capture.status
        if status == 200:
            size = len(capture.request_body)
            self._earlier.add_reply(view(payload), capture.content_type, capture.body, size)
        elif not 400 <= status <= 599:
            entry.reason = f"the status of the reply is {status}; it is only in the recording"
            return None
        return _read_imported(entry, capture, payload, digest)

    def _save_all(self, replies: list[_Imported]) -> None:
        """Save the replies to a request as its fixture. An error is included if the client retried
        and got an answer.
        """
        last = max((n for n, reply in enumerate(replies) if not reply.is_error), default=-1)
        errors = [
            reply
            for number, reply in enumerate(replies)
            if reply.is_error and (number > last or not is_tried_again(reply.status))
        ]
        for error in errors:
            error.entry.reason = f"the reply is {error.text}; it is only in the recording"
        self._errors += errors
        if saved := [reply for reply in replies if reply not in errors]:
            self._save(saved)

    def save_errors(self) -> None:
        """Save the replies that are errors where no other entry has a better one: clients retry
        after most errors.
        """
        for error in self._errors:
            is_answered = any(
                other.fixture and other.digest == error.entry.digest for other in self.entries
            )
            if not is_answered:
                self._save([error])
                if error.entry.fixture:
                    error.entry.reason = ", ".join(filter(None, [error.text, error.entry.reason]))

    def _save(self, replies: list[_Imported]) -> None:
        """Save replies as a fixture that sends them one after the other, and record the results of
        their entries.
        """
        *first, last = replies
        before = [reply.reading for reply in first]
        while before and before[-1] == last.reading:
            before.pop()
        try:
            saved = self._saver.save(
                last.payload,
                last.request[0],
                last.reading,
                source="imported",
                first=before,
            )
        except HasFixtureError as error:
            for reply in replies:
                reply.entry.reason = f"{error}; this reply is only in the recording"
        except NoFixtureError as error:
            for reply in replies:
                reply.entry.reason = str(error)
        else:
            for reply in replies:
                reply.entry.fixture = str(self._fixtures.path(saved.name))
            last.entry.reason = saved.remark


class _Imported(NamedTuple):
    """An entry whose reply can be a fixture.

    Attributes:
        request: the digest and the variant of its request.
    """

    entry: ImportedEntry
    payload: Payload
    request: tuple[str, str]
    status: int
    reading: Reading

    @property
    def is_error(self) -> bool:
        return self.status >= 400

    @property
    def text(self) -> str:
        return f"an error, {self.status}"


def _read_imported(
    entry: ImportedEntry, capture: Capture, payload: Payload, digest: str
) -> _Imported | None:
    """An entry with its reply; None where that becomes no fixture, for the reason that the entry
    then has.
    """
    try:
        reading = read_reply(
            payload,
            capture.content_type,
            capture.body,
            status=capture.status,
            retry_after=capture.retry_after,
        )
    except NoFixtureError as error:
        entry.reason = str(error)
        return None
    return _Imported(entry, payload, (digest, view(payload).variant), capture.status, reading)


def _without_fixture(url: str) -> str:
    """Why a request that is not one of chat becomes no fixture."""
    try:
        path = urlsplit(url).path
    except ValueError:
        path = ""
    if plain_at(path) or counting_at(path):
        return "needs no fixture: the server answers it by itself"
    return "not a request of an API that fixtures answer"


def _repeated(capture: Capture, written: WrittenRequest) -> str:
    """Why an exchange is not stored: it repeats a credential of the request. Else ""."""
    if written.credentials.are_in_body(capture.content_type, capture.body):
        return REPEATS_KEY
    return "the request contains its own key" if written.is_secret else ""


@dataclass(slots=True)
class _ImportedRecording:
    """The recording made of the exchanges of one file."""

    exchanges: list[Exchange] = field(default_factory=list)
    started: str = ""

    def add(self, capture: Capture, payload: Payload, digest: str) -> None:
        """Append an exchange. Raises FormatError for a request that is not JSON (NaN)."""
        exchange = Exchange(
            position=len(self.exchanges) + 1,
            node="",
            call=len(self.exchanges) + 1,
            request=payload,
            outcome=Sent(capture.status, capture.content_type, capture.body),
            digest=digest,
            source="recorded",
            stream=view(payload).stream,
            ms=capture.ms,
        )
        line(exchange)
        self.started = self.started or capture.started
        self.exchanges.append(exchange)

    def write(self, folder: StateFolder, name: str) -> None:
        """Write its journal. Raises OSError."""
        folder.ensure()
        make_folder(folder.recordings, 0o700)
        header = new_header(name)
        header = replace(header, started=self.started or header.started)
        path = folder.recordings / f"{header.id}{SUFFIX}"
        with closing(JournalWriter(path, header)) as writer:
            for exchange in self.exchanges:
                writer.append(exchange)
            writer.append(End())
