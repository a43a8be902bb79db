"""The fixtures of a folder as a list shows them: each file with what was found in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from workbench.core.apis.chat import request as requests
from workbench.core.digest import is_digest
from workbench.core.fixtures import rules
from workbench.core.fixtures.document import FixtureDocument, FixtureError, decode
from workbench.core.fixtures.findings import Finding
from workbench.core.replies import answer
from workbench.io.regular import read_regular
from workbench.io.store import SUFFIX, FixtureStore
from workbench.session import editing

TEXT_CHARACTERS = 400

EntryKind = Literal["bad name", "broken", "error", "warning", "fine"]


@dataclass(frozen=True, slots=True)
class FixtureEntry:
    """One ``*.json`` file of the folder.

    Attributes:
        digest: of the name, or None where the name is no digest.
        is_broken: the server can make no reply of it.
        answers: what it answers: the last user text of its stored request, or "" if unknown.
        turn: which turn of its conversation that is; 0 if unknown.
        model: of the stored request, or "".
        tools: the tools that request offers and those the reply calls.
        is_read: it was examined; else only its name is known.
    """

    name: str
    digest: str | None
    findings: tuple[Finding, ...] = ()
    answers: str = ""
    description: str = ""
    is_broken: bool = False
    turn: int = 0
    model: str = ""
    tools: frozenset[str] = frozenset()
    is_read: bool = True

    @property
    def kind(self) -> EntryKind:
        """The worst that is to be said of it."""
        if self.digest is None:
            return "bad name"
        if self.is_broken:
            return "broken"
        if self.count("error"):
            return "error"
        return "warning" if self.count("warning") else "fine"

    @property
    def rot(self) -> Finding | None:
        """What lets it match no request some day, if anything."""
        return next((finding for finding in self.findings if finding.rule == "will-rot"), None)

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)


class FixtureBook:
    """The entries by file name. ``examine`` is slow and for a thread; the rest is cheap.

    Attributes:
        names_changed: how often a file came or went.
    """

    def __init__(self, store: FixtureStore) -> None:
        self.entries: dict[str, FixtureEntry] = {}
        self.names_changed = 0
        self._store = store

    def examine(self, name: str) -> FixtureEntry | None:
        """Read and check one file; None where it is gone."""
        digest = _digest_of(name)
        try:
            data = read_regular(self._store.folder / name)
        except FileNotFoundError:
            return None
        except OSError as error:
            finding = Finding("invalid-json", "error", f"cannot be read: {error.strerror}")
            return FixtureEntry(name, digest, (finding,), is_broken=True)
        entry = FixtureEntry(name, digest, tuple(rules.check(data, rules.Context(filename=name))))
        try:
            document = FixtureDocument(decode(data))
            entry = _told(entry, document)
            answer.fixture_reply(document.value, {})
        except FixtureError:
            return replace(entry, is_broken=True)
        return entry

    def announce(self, names: Iterable[str]) -> None:
        """List files that are not examined yet."""
        for name in names:
            if name not in self.entries:
                self.names_changed += 1
                self.entries[name] = FixtureEntry(name, _digest_of(name), is_read=False)

    def apply(self, examined: Iterable[tuple[str, FixtureEntry | None]]) -> None:
        """Take in what ``examine`` found."""
        for name, entry in examined:
            self.names_changed += (entry is None) == (name in self.entries)
            if entry is None:
                self.entries.pop(name, None)
            else:
                self.entries[name] = entry


def _digest_of(name: str) -> str | None:
    digest = name.removesuffix(SUFFIX)
    return digest if is_digest(digest) else None


def _told(entry: FixtureEntry, document: FixtureDocument) -> FixtureEntry:
    """What a document says of what it answers."""
    request = document.request
    called = {call.name for call in editing.calls(document)}
    known = replace(
        entry, description=document.description[:TEXT_CHARACTERS], tools=frozenset(called)
    )
    if not request:
        return known
    return replace(
        known,
        answers=requests.last_user_text(request)[:TEXT_CHARACTERS],
        turn=requests.turn(request),
        model=str(request.get("model") or "")[:TEXT_CHARACTERS],
        tools=known.tools | {tool.name for tool in requests.tools(request)},
    )
