"""Import: fixtures and a recording from the HTTP exchanges that other programs recorded."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.table import api_of, received, view
from workbench.core.digest import RequestError, parse_request
from workbench.core.fixture.recorded import NoFixtureError, read_reply
from workbench.core.formats import FormatError
from workbench.core.imports.captures import Attached, Capture, UnreadableCapture, captures
from workbench.core.recordings.exchanges import End, Exchange, Sent
from workbench.core.recordings.journal import line
from workbench.core.requests.view import Payload
from workbench.core.secrets.written_request import WrittenRequest, as_written
from workbench.io.fixture.earlier import EarlierRequests
from workbench.io.fixture.reply_saver import HasFixtureError, ReplySaver
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.io.recordings.journal import SUFFIX, JournalWriter
from workbench.io.recordings.writers import new_header
from workbench.io.state_folder import StateFolder, make_folder


@dataclass(slots=True)
class ImportedEntry:
    """What became of one entry of a file.

    Attributes:
        fixture: the path of its fixture, if it has one.
        draft: the path of its draft, if it has one.
        reason: why it has neither, or a remark.
        is_chat: it is a request that fixtures answer. Files hold all traffic of a program.
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
        state_folder: gets the recordings.
        dry_run: write nothing.

    Attributes:
        entries: what became of those so far.
    """

    def __init__(
        self,
        saver: ReplySaver,
        state_folder: StateFolder,
        *,
        dry_run: bool,
    ) -> None:
        self.entries: list[ImportedEntry] = []
        self._saver = saver
        self._state_folder = state_folder
        self._dry_run = dry_run
        # Answers to which later requests refer.
        self._earlier = EarlierRequests(StoredFixtures(saver.store))
        self._errors: list[tuple[ImportedEntry, Capture, Payload]] = []

    def add(self, name: str, content: object, attached: Attached | None = None) -> None:
        """Import the entries of a file; its exchanges become a recording.

        Args:
            content: of a HAR file or a cassette.
            attached: reads the files that it names.

        Raises:
            CaptureError: it is neither.
        """
        recording = _ImportedRecording()
        self.entries += [
            self._imported(name, capture, recording) for capture in captures(content, attached)
        ]
        if recording.exchanges and not self._dry_run:
            recording.write(self._state_folder, Path(name).stem if name != "-" else "imported")

    def _imported(
        self, name: str, capture: Capture | UnreadableCapture, recording: _ImportedRecording
    ) -> ImportedEntry:
        entry = ImportedEntry(name, capture.place)
        if isinstance(capture, UnreadableCapture):
            entry.reason = capture.reason
            return entry
        if not capture.is_chat:
            entry.reason, entry.is_chat = "not a request of an API that fixtures answer", False
            return entry
        try:
            url = urlsplit(capture.url)
            asked = (
                received(unquote(url.path), url.query, parse_request(capture.request_body)) or {}
            )
            resolved = self._earlier.resolve(asked)
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
            return entry
        if 400 <= capture.status <= 599:
            entry.reason = f"the reply is an error, {capture.status}; it is only in the recording"
            self._errors.append((entry, capture, payload))
        else:
            if capture.status == 200:
                size = len(capture.request_body)
                self._earlier.add_reply(view(payload), capture.content_type, capture.body, size)
            entry.fixture, entry.reason = self._saved(capture, payload, digest)
        return entry

    def save_errors(self) -> None:
        """Save the replies that are errors where no other entry has a better one: clients retry
        after most errors.
        """
        for entry, capture, payload in self._errors:
            is_answered = any(
                other.fixture and other.digest == entry.digest for other in self.entries
            )
            if entry.digest is not None and not is_answered:
                entry.fixture, reason = self._saved(capture, payload, entry.digest)
                error = f"an error, {capture.status}"
                entry.reason = ", ".join(filter(None, [error, reason])) if entry.fixture else reason

    def _saved(self, capture: Capture, payload: Payload, digest: str) -> tuple[str | None, str]:
        """The path of the fixture and a remark, or None and why there is none."""
        if capture.status != 200 and not 400 <= capture.status <= 599:
            return None, f"the status of the reply is {capture.status}; it is only in the recording"
        try:
            reply = read_reply(
                payload,
                capture.content_type,
                capture.body,
                status=capture.status,
                retry_after=capture.retry_after,
            )
            saved = self._saver.save(
                payload, digest, reply, source="imported", dry_run=self._dry_run
            )
        except HasFixtureError as error:
            return None, f"{error}; this reply is only in the recording"
        except NoFixtureError as error:
            return None, str(error)
        return str(self._saver.store.path(saved.name)), saved.remark


def _repeated(capture: Capture, written: WrittenRequest) -> str:
    """Why an exchange is not stored: it repeats a credential of the request. Else ""."""
    if written.credentials.are_in_reply(capture.content_type, capture.body):
        return "the reply holds the key that was sent"
    return "the request holds the key that was sent" if written.is_secret else ""


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
