"""Drafts: responses being written; stored on disk, so that none is lost on exit or in a crash."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

from workbench.core.fixture.document import FixtureDocument
from workbench.core.fixture.names import is_name
from workbench.core.json import spans
from workbench.core.replies.response import RESPONSE, FixtureError
from workbench.io.files.atomic import remove_leftovers, write_atomic
from workbench.io.files.regular import read_regular
from workbench.io.files.stamps import FileStamp, OwnWrites
from workbench.io.state_folder import StateFolder
from workbench.session.drafts.history import DraftHistory, DraftState

FORMAT_VERSION = 1


@dataclass(slots=True)
class Draft:
    """The text of a fixture file being written, which all editors share.

    Attributes:
        name: name of the fixture in the store.
        base: the state of the file the draft started from; None without a file.
        touched: True if the text differs from the initial one.
        keep_lines: store arguments and JSON content on several lines, as typed.
        revision: increases with every change of the text.
        kept_revision: the revision on disk; -1 for none.
        history: its states, for ``go``; the view that shows the draft adds to it.
        at: the path of the response that is edited in fields, if the document contains it.
    """

    name: str
    text: str
    base: FileStamp | None = None
    touched: bool = False
    keep_lines: bool = False
    revision: int = 0
    kept_revision: int = -1
    at: spans.Path = RESPONSE
    document: FixtureDocument = field(init=False)
    history: DraftHistory = field(init=False)
    _origin: str | None = field(init=False)

    def __post_init__(self) -> None:
        self.document = FixtureDocument(self.text)
        # The text that a recovered draft started with is not known.
        self._origin = None if self.touched else self.text
        self.history = DraftHistory(self.state())

    @property
    def is_unkept(self) -> bool:
        """True if there are changes that are not on disk."""
        return self.touched and self.kept_revision != self.revision

    def set_document(self, document: FixtureDocument) -> bool:
        """Change the text to an edited document. Return True if it differs."""
        return self.set_text(document.text)

    def state(self, shown: Mapping[str, str] = MappingProxyType({})) -> DraftState:
        """The present state; ``shown`` as in ``DraftState``."""
        return DraftState(self.text, self.keep_lines, shown, self.at)

    @property
    def response_paths(self) -> list[spans.Path]:
        """The response paths of the document; only ``response`` if it cannot be read."""
        try:
            return self.document.response_paths
        except FixtureError:
            return [RESPONSE]

    @property
    def shown_response(self) -> spans.Path:
        """The path of the response that is edited in fields, and previewed."""
        return self.at if self.at in self.response_paths else RESPONSE

    def go(self, by: int) -> DraftState | None:
        """Undo (-1) or redo (1) one step of the history. Return the new state, or None if there is
        no such step. Afterwards the response that the step changed is edited.
        """
        before, state = self.document, self.history.go(by)
        if state is None:
            return None
        self.keep_lines = state.keep_lines
        self.set_text(state.text)
        with contextlib.suppress(FixtureError):
            for path in self.document.response_paths:
                if self.document.response_at(path) != before.response_at(path):
                    self.at = path
                    break
        return state if state.at == self.at else state._replace(shown={})

    def take_file(self, text: str, base: FileStamp | None) -> None:
        """Begin again with the text of the file, whose state is ``base``."""
        self.base = base
        self._origin = text
        self.set_text(text)
        self.touched = False

    def set_text(self, text: str, *, typed: bool = True) -> bool:
        """Change the text. Return True if it differs.

        Args:
            typed: by a person; False for a new skeleton.
        """
        if text == self.text:
            return False
        self.text = text
        self.document = FixtureDocument(text)
        if typed:
            self.touched = text != self._origin
        else:
            self._origin = text
            self.history = DraftHistory(self.state())
        self.revision += 1
        return True


class DraftStore:
    """All drafts of one fixtures folder by name, and their files, which are in the state folder.

    Attributes:
        histories: the histories of saved drafts, by name.
        is_failing: True if ``store_changed`` failed the last time.
        own_writes: the files as this process left them, so they are not reported as changes by
            other programs.
    """

    def __init__(self, state_folder: StateFolder, fixtures: Path) -> None:
        # The same for every path of the folder.
        owner = hashlib.blake2b(os.fsencode(os.path.realpath(fixtures)), digest_size=4).hexdigest()
        self.folder = state_folder.drafts / owner
        self.drafts: dict[str, Draft] = {}
        self.histories: dict[str, DraftHistory] = {}
        self.is_failing = False
        self.own_writes = OwnWrites()
        self._state_folder = state_folder
        # A thread writes drafts while others are edited or saved.
        self._lock = threading.Lock()

    def recover(self) -> list[Path]:
        """Read the drafts of the last session. Returns the new names of unreadable files, which are
        renamed.
        """
        remove_leftovers(self.folder)
        paths: list[Path] = []
        with contextlib.suppress(OSError):
            paths = sorted(p for p in self.folder.iterdir() if p.suffix == ".json")
        bad = []
        for path in paths:
            try:
                draft = _read(json.loads(read_regular(path)), path.stem)
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
                bad.append(_put_aside(path))
                continue
            self.drafts[draft.name] = draft
        return bad

    def read_new(self, names: Iterable[str]) -> list[Draft]:
        """Read files that another program wrote, as ``workbench import`` does, for digests without
        a written draft here. Slow, for a thread.
        """
        drafts = []
        for path in (self.folder / name for name in names if name.endswith(".json")):
            with self._lock:
                if not self._is_free(path.stem):
                    continue
                # An unreadable draft is set aside at the next start.
                with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
                    drafts.append(_read(json.loads(read_regular(path)), path.stem))
        return drafts

    def take_new(self, drafts: Iterable[Draft]) -> set[str]:
        """Add what ``read_new`` found, unless it was written here since; returns the digests
        of those that were added.
        """
        taken = {draft.name: draft for draft in drafts if self._is_free(draft.name)}
        self.drafts |= taken
        for name in taken:
            self.own_writes.forget(self.path(name).name)
        return set(taken)

    def _is_free(self, name: str) -> bool:
        """True if nothing was written here for a name, so its file is not ours."""
        draft = self.drafts.get(name)
        return draft is None or not (draft.touched or draft.kept_revision >= 0)

    def add(self, draft: Draft) -> Draft:
        self.drafts[draft.name] = draft
        return draft

    def get(self, name: str) -> Draft | None:
        return self.drafts.get(name)

    def store(self, name: str) -> None:
        """Write a draft to disk if it changed, or if another program deleted what was written;
        delete its file if all changes were undone. Raises OSError.
        """
        with self._lock:
            draft = self.drafts.get(name)
            if draft is not None and draft.touched and (draft.is_unkept or self._is_gone(name)):
                self._write(draft)
            elif draft is not None and not draft.touched and draft.kept_revision >= 0:
                self._delete(name)
                draft.kept_revision = -1

    def store_changed(self) -> None:
        """Write every draft that changed; for a thread. Raises OSError after all were tried."""
        trouble: OSError | None = None
        for name in list(self.drafts):
            try:
                self.store(name)
            except OSError as error:
                trouble = error
        self.is_failing = trouble is not None
        if trouble is not None:
            raise trouble

    @property
    def unkept(self) -> list[Draft]:
        """The drafts with changes that are not on disk."""
        return [draft for draft in self.drafts.values() if draft.is_unkept]

    def _write(self, draft: Draft) -> None:
        revision = draft.revision
        self._state_folder.ensure()
        self.folder.mkdir(parents=True, exist_ok=True)
        record = {
            "version": FORMAT_VERSION,
            "digest": draft.name,
            "base": draft.base._asdict() if draft.base else None,
            "keep_lines": draft.keep_lines,
            "text": draft.text,
        }
        path = self.path(draft.name)
        self.own_writes.note(path.name, write_atomic(path, json.dumps(record).encode("ascii")))
        draft.kept_revision = revision

    def remove(self, name: str) -> Draft | None:
        """Delete a draft and its file. Raises OSError if the file cannot be deleted."""
        with self._lock:
            draft = self.drafts.pop(name, None)
            if draft is not None:
                draft.kept_revision = -1
                self.histories[name] = draft.history
            self._delete(name)
        return draft

    def _delete(self, name: str) -> None:
        """Delete the file of a draft, unless another application has written its own there."""
        path = self.path(name)
        if not self.own_writes.is_replaced(path.name, _stamp(path)):
            path.unlink(missing_ok=True)
            self.own_writes.note(path.name, None)

    def _is_gone(self, name: str) -> bool:
        """True if this program wrote the file of a draft, and another one deleted it."""
        path = self.path(name)
        return _stamp(path) is None and self.own_writes.is_replaced(path.name, None)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def _stamp(path: Path) -> FileStamp | None:
    try:
        return FileStamp.of(os.lstat(path))
    except OSError:
        return None


def _put_aside(path: Path) -> Path:
    """Rename a draft file that cannot be read; returns its new path."""
    names = (path.with_suffix(f".{number}.bad" if number else ".bad") for number in count())
    kept = next(name for name in names if not os.path.lexists(name))
    try:
        path.replace(kept)
    except OSError:
        return path
    return kept


def _read(record: dict[str, Any], name: str) -> Draft:
    """The draft in the file ``name``.

    Raises:
        ValueError, KeyError, TypeError: this version cannot read it.
    """
    if record["version"] > FORMAT_VERSION:
        raise ValueError(
            f"written in format {record['version']}; this workbench only reads {FORMAT_VERSION}"
        )
    if not is_name(name) or record["digest"] != name or not isinstance(record["text"], str):
        raise ValueError("not a draft")
    base = FileStamp(**record["base"]) if record["base"] else None
    return Draft(
        record["digest"],
        record["text"],
        base=base,
        touched=True,
        keep_lines=bool(record["keep_lines"]),
        kept_revision=0,
    )
