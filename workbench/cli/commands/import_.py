"""``workbench import``: fixtures from HAR files and cassettes, drafts from fixtures of aimock."""

from __future__ import annotations

import argparse
import json
import os
import tomllib
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.cli.arguments import add_dry_run, add_format, filled, read_input
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK, EXIT_WRONG_USE
from workbench.cli.fixtures_folder import add_fixtures, settings_for
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import NoLogError, add_log, logs_to_read, session_of
from workbench.cli.output import Progress, print_json, print_message, print_result
from workbench.core.imports.aimock import is_aimock
from workbench.core.imports.captures import CaptureError, NotACaptureError
from workbench.core.text import shell
from workbench.core.text.wording import counted, shortlist
from workbench.core.user_error import UserError
from workbench.io.command_options import naming_folder
from workbench.io.files.path_text import error_text
from workbench.io.fixture.reply_saver import ReplySaver
from workbench.io.fixture.store import FixtureStore, copied
from workbench.io.logs.newest_log import RUN_LOG, SUITE_LOGS
from workbench.io.logs.server_of_log import named_server
from workbench.io.recordings.capture_files import (
    ENDINGS,
    FolderFiles,
    attached_in,
    decompressed,
    files_below,
    is_archive,
    unzipped,
)
from workbench.io.state_folder import StateFolder
from workbench.session.recordings.aimock_drafts import NO_LOG, NO_MISS, draft_answers
from workbench.session.recordings.importing import Import, ImportedEntry

if TYPE_CHECKING:
    from workbench.session.session import Session

ADVICE: Final = (
    "fixtures of aimock answer the misses of a log; run the suite (workbench run -- COMMAND),"
    " import the file again, then start workbench and save the drafts"
)
_ENDINGS: Final = f"names end in {', '.join(ENDINGS)}, or these and .gz"
_JSON_STARTS = (b"{", b"[", b"\xef\xbb\xbf{")


HELP: Final = CommandHelp(
    page="recording",
    examples={
        "workbench import recorded.har --dry-run": "list the fixtures that a HAR file would give",
        "workbench import recorded.har tests/cassettes": "create fixtures from a HAR file and all "
        "cassettes of a folder",
        "workbench import aimock.json --log mock-llm.log": "create drafts for the misses of a log "
        "from fixtures of aimock",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        type=filled,
        nargs="+",
        metavar="PATH",
        help="HAR file (or a ZIP archive of one), cassette of vcrpy, VCR for Ruby or Cassetter, or "
        "fixtures of aimock; a folder for all such files in it and below; - for standard input",
    )
    add_log(
        parser,
        "log with the misses that fixtures of aimock answer; repeatable (default: "
        f".workbench/{RUN_LOG}, else {SUITE_LOGS[0]})",
    )
    add_fixtures(parser)
    add_dry_run(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    with ExitStack() as stack:
        logged = _Logged(stack, args.log, args.fixtures)
        entries, unreadable = _imported(args, logged)
    _print(entries, args.format)
    if not entries and not unreadable:
        print_message("note", "nothing to import: no entries")
    if any(entry.reason in (NO_LOG, NO_MISS) for entry in entries):
        print_message("note", ADVICE)
    if any(entry.draft for entry in entries) and not args.dry_run:
        options = [option for log in logged.logs for option in ("--log", log)]
        if args.fixtures is not None:
            options += naming_folder(args.fixtures, logged.logs)
        print_message("note", f"review the drafts: {shell.command(['workbench', *options])}")
    for reason in unreadable:
        print_message("error", reason)
    if unreadable:
        return EXIT_WRONG_USE
    return EXIT_FINDINGS if any(entry.is_missing for entry in entries) else EXIT_OK


class _Logged:
    """The session that has read the log with the misses that fixtures of aimock answer."""

    def __init__(self, stack: ExitStack, logs: list[str], fixtures: Path | None) -> None:
        self.logs = logs
        self._stack = stack
        self._fixtures = fixtures
        self._session = self._open() if logs else None

    def session(self) -> Session | None:
        """The session, which reads the newest log by default; None without a log."""
        if self._session is None:
            with suppress(NoLogError):
                self.logs = logs_to_read(self.logs)
                self._session = self._open()
        return self._session

    def _open(self) -> Session:
        return self._stack.enter_context(
            session_of(self.logs, self._fixtures, creates=True, writes=True)
        )


def _imported(args: argparse.Namespace, logged: _Logged) -> tuple[list[ImportedEntry], list[str]]:
    """The results for the entries of all files, and the errors of unreadable files, which do not
    prevent the import of others.
    """
    settings = settings_for(args.fixtures, named_server(map(Path, args.log)))
    fixtures = FixtureStore(settings.fixtures)
    named, others, unreadable = _files(args.files)
    with (
        copied(fixtures) if args.dry_run else nullcontext(fixtures) as store,
        Progress("Importing", len(named)) as progress,
    ):
        made = Import(
            ReplySaver(store, settings.store_request, settings.request_limit),
            fixtures,
            None if args.dry_run else StateFolder.locate(Path.cwd()),
        )
        for done, name in enumerate(named, start=1):
            try:
                _add(made, name, logged, dry_run=args.dry_run)
            except NotACaptureError as error:
                if name in args.files:
                    unreadable.append(f"{name}: {error}")
                else:
                    others.append(name)
            except UserError as error:
                unreadable.append(str(error))
            except OSError as error:
                unreadable.append(error_text(error))
            progress(done)
        made.save_errors()
    if others:
        print_message("note", f"skipped {counted(len(others), 'other file')}: {shortlist(others)}")
    return made.entries, unreadable


def _files(names: Sequence[str]) -> FolderFiles:
    """The files with these names, and those below folders with these names."""
    all_files = FolderFiles([], [], [])
    for name in names:
        if not os.path.isdir(name):
            all_files.captures.append(name)
            continue
        below = files_below(name)
        if not (below.captures or below.unreadable):
            all_files.unreadable.append(f"{name} has no file to import: {_ENDINGS}")
        for files, more in zip(all_files, below, strict=True):
            files += more
    return all_files


def _add(made: Import, name: str, logged: _Logged, *, dry_run: bool) -> None:
    """Import a file. Raises NotACaptureError, UserError and OSError."""
    data = read_input(name)
    attached = None if name == "-" else attached_in(Path(name).parent)
    try:
        data = decompressed(data)
        if is_archive(data):
            data, attached = unzipped(data)
        content = _value(name, data)
        if is_aimock(content):
            made.entries += draft_answers(logged.session(), name, content, dry_run=dry_run)
        else:
            made.add(name, content, attached)
    except NotACaptureError:
        raise
    except CaptureError as error:
        raise UserError(f"{name}: {error}") from None


def _print(entries: list[ImportedEntry], form: str) -> None:
    if form == "json":
        print_json(
            [{k: v for k, v in asdict(entry).items() if k != "is_chat"} for entry in entries]
        )
    else:
        for entry in entries:
            print_result(_line(entry))


def _line(entry: ImportedEntry) -> str:
    made = entry.fixture or entry.draft
    if made is None:
        return f"skipped   {entry.file} {entry.entry}: {entry.reason}"
    remark = f"  ({entry.reason})" if entry.reason else ""
    return f"{'imported' if entry.fixture else 'drafted '}  {entry.digest}  {made}{remark}"


def _value(name: str, data: bytes) -> Any:
    """The content of a file: TOML by its name, JSON if it begins so, else YAML. Raises
    UserError.
    """
    if not data.strip():
        raise UserError(f"{name}: the file is empty")
    try:
        if name.removesuffix(".gz").endswith(".toml"):
            return tomllib.loads(data.decode("utf-8"))
        if data.lstrip().startswith(_JSON_STARTS):
            return json.loads(data.decode("utf-8-sig"))
        return _yaml(data)
    except UnicodeDecodeError as error:
        raise UserError(f"{name}: byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise UserError(f"{name} is not valid JSON: {place}: {error.msg}") from None
    except RecursionError:
        raise UserError(f"{name}: nested too deeply") from None
    except ValueError as error:
        raise UserError(f"{name}: {error}") from None


def _yaml(data: bytes) -> Any:
    """Read plain values only: a file with Python objects is refused."""
    import yaml

    safe = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("Loader", (safe,), {})
    loader.add_constructor("!binary", safe.construct_yaml_binary)  # Ruby's name for !!binary
    try:
        return yaml.load(data, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ValueError(f"{where}neither JSON nor YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"neither JSON nor YAML: {' '.join(str(error).split())}") from None
