"""``workbench import``: turn HAR files and cassettes into fixtures and a run."""

from __future__ import annotations

import argparse
import json
import tomllib
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from workbench.cli import EXIT_FINDINGS, EXIT_OK, UsageError
from workbench.cli.common import add_dry_run, add_fixtures, add_format, filled, read_input
from workbench.cli.logs import settings_for
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.apis.earlier import UnknownIDError
from workbench.core.apis.table import find, received, request_module, view
from workbench.core.credentials import Credentials, of_request
from workbench.core.digest import RequestError, parse_request
from workbench.core.fixtures.recorded import SecretError, fixture_of
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.view import Payload
from workbench.core.runs.captures import Capture, CaptureError, UnreadableCapture, captures
from workbench.core.runs.exchanges import End, Exchange, RunFormatError, Sent
from workbench.core.runs.lines import line
from workbench.io.fixtures.earlier import EarlierRequests
from workbench.io.fixtures.new_fixture import save_new
from workbench.io.fixtures.store import FixtureChangedError, FixtureStore
from workbench.io.runs.journal import SUFFIX, JournalWriter
from workbench.io.runs.run_writers import new_header
from workbench.io.state_folder import StateFolder, make_folder
from workbench.session.wording import cannot_write

_JSON_STARTS = (b"{", b"[", b"\xef\xbb\xbf{")


@dataclass(frozen=True, slots=True)
class _Target:
    """Where fixtures are written, and how.

    Attributes:
        earlier: answers to which later requests refer.
        errors: exchanges with an error reply. Clients retry after most errors, so they are saved
            only if no other entry has a better reply.
    """

    store: FixtureStore
    store_request: bool
    dry_run: bool
    earlier: EarlierRequests
    errors: list[tuple[_Row, Capture, Payload]] = field(default_factory=list)


@dataclass(slots=True)
class _Row:
    """The result for one entry."""

    file: str
    entry: str
    digest: str | None = None
    fixture: str | None = None
    reason: str = ""
    is_chat: bool = True


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        type=filled,
        nargs="+",
        metavar="FILE",
        help="HAR file, or cassette of vcrpy or Cassetter; - reads standard input",
    )
    add_fixtures(parser)
    add_dry_run(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    settings = settings_for(args.fixtures)
    store = FixtureStore(settings.fixtures)
    target = _Target(store, settings.store_request, args.dry_run, EarlierRequests(store))
    rows: list[_Row] = []
    try:
        for name in args.files:
            rows += _rows(name, target)
        _save_errors(target, rows)
    finally:  # also if a later file cannot be read
        _print(rows, args.format)
    if not rows:
        print_message("nothing to import: no entries")
    # Requests to other services are not findings: captures hold all traffic of a program.
    return EXIT_FINDINGS if any(r.is_chat and r.fixture is None for r in rows) else EXIT_OK


def _print(rows: list[_Row], form: str) -> None:
    if form == "json":
        print_json([{k: getattr(row, k) for k in _Row.__slots__ if k != "is_chat"} for row in rows])
    else:
        for row in rows:
            print_result(_line(row))


def _line(row: _Row) -> str:
    if row.fixture is None:
        return f"skipped   {row.file} {row.entry}: {row.reason}"
    return f"imported  {row.digest}  {row.fixture}" + (f"  ({row.reason})" if row.reason else "")


def _rows(name: str, target: _Target) -> list[_Row]:
    """The results for the entries of a file; its exchanges become a run."""
    run = _ImportedRun()
    try:
        rows = [_row(name, capture, target, run) for capture in captures(_read_value(name))]
    except CaptureError as error:
        raise UsageError(f"{name}: {error}") from None
    if run.exchanges and not target.dry_run:
        run.write(Path(name).stem if name != "-" else "imported")
    return rows


def _read_value(name: str) -> Any:
    """The content of a file: TOML by its name, JSON if it begins so, else YAML. Raises
    UsageError.
    """
    data = read_input(name)
    if not data.strip():
        raise UsageError(f"{name}: it is empty")
    try:
        if name.endswith(".toml"):
            return tomllib.loads(data.decode("utf-8"))
        if data.lstrip().startswith(_JSON_STARTS):
            return json.loads(data.decode("utf-8-sig"))
        return _yaml(data)
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise UsageError(f"{name}: {place}: {error.msg}") from None
    except RecursionError:
        raise UsageError(f"{name}: it is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def _yaml(data: bytes) -> Any:
    """Plain values only: a file that asks for Python objects is refused."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(data, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ValueError(f"{where}it is neither JSON nor YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"it is neither JSON nor YAML: {' '.join(str(error).split())}") from None


def _row(
    name: str, capture: Capture | UnreadableCapture, target: _Target, run: _ImportedRun
) -> _Row:
    row = _Row(name, capture.place)
    if isinstance(capture, UnreadableCapture):
        row.reason = capture.reason
        return row
    if not _is_chat(capture):
        row.reason, row.is_chat = "not a request of an API that fixtures answer", False
        return row
    try:
        url = urlsplit(capture.url)
        asked = received(url.path, url.query, parse_request(capture.request_body)) or {}
        payload = target.earlier.resolve(asked)
        row.digest = digest = view(payload).digest
        row.reason = request_module(payload).unsupported(payload) or _repeated(capture)
        if not row.reason:
            run.add(capture, payload, digest)
    except (RequestError, RunFormatError, UnknownIDError) as error:
        row.reason = str(error)
    if row.reason:
        return row
    if 400 <= capture.status <= 599:
        row.reason = f"the reply is an error, {capture.status}; it is only in the run"
        target.errors.append((row, capture, payload))
    else:
        if capture.status == 200:
            size = len(capture.request_body)
            target.earlier.add_reply(view(payload), capture.content_type, capture.body, size)
        row.fixture, row.reason = _saved(capture, payload, digest, target)
    return row


def _save_errors(target: _Target, rows: list[_Row]) -> None:
    for row, capture, payload in target.errors:
        is_answered = any(other.fixture and other.digest == row.digest for other in rows)
        if row.digest is not None and not is_answered:
            row.fixture, said = _saved(capture, payload, row.digest, target)
            error = f"an error, {capture.status}"
            row.reason = ", ".join(filter(None, [error, said])) if row.fixture else said


def _repeated(capture: Capture) -> str:
    """Why an exchange is not stored: it repeats a credential of the request. Else ""."""
    url = urlsplit(capture.url)
    found = of_request(capture.request_headers, url.query)
    credentials = Credentials([*found, unquote(url.password or "")])
    if credentials.are_in_reply(capture.content_type, capture.body):
        return "the reply holds the key that was sent"
    if credentials.are_in(capture.request_body.decode("utf-8", "replace")):
        return "the request holds the key that was sent"
    return ""


def _is_chat(capture: Capture) -> bool:
    try:
        return capture.method == "POST" and find(urlsplit(capture.url).path) is not None
    except ValueError:
        return False


def _saved(
    capture: Capture, payload: Payload, digest: str, target: _Target
) -> tuple[str | None, str]:
    """The path of the fixture and a remark, or None and why there is none."""
    store = target.store
    if capture.status != 200 and not 400 <= capture.status <= 599:
        return None, f"the status of the reply is {capture.status}; it is only in the run"
    try:
        document, said = fixture_of(
            payload,
            digest,
            capture.content_type,
            capture.body,
            source="imported",
            store_request=target.store_request,
            status=capture.status,
            retry_after=capture.retry_after,
        )
        save_new(store, digest, document, dry_run=target.dry_run)
    except FixtureChangedError:
        return None, f"{digest} has a fixture already; this reply is only in the run"
    except (NotAReplyError, SecretError) as error:
        return None, str(error)
    except OSError as error:
        return None, cannot_write(store.folder, error)
    return str(store.path(digest)), said


@dataclass(slots=True)
class _ImportedRun:
    """The run made of the exchanges of one file."""

    exchanges: list[Exchange] = field(default_factory=list)
    started: str = ""

    def add(self, capture: Capture, payload: Payload, digest: str) -> None:
        """Append an exchange. Raises RunFormatError for a request that is not JSON (NaN)."""
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

    def write(self, name: str) -> None:
        """Write its journal. Raises OSError."""
        state = StateFolder.locate(Path.cwd())
        state.ensure()
        make_folder(state.runs, 0o700)
        header = new_header(name)
        header = replace(header, started=self.started or header.started)
        path = state.runs / f"{header.id}{SUFFIX}"
        with closing(JournalWriter(path, header)) as writer:
            for exchange in self.exchanges:
                writer.append(exchange)
            writer.append(End())
