"""The fixtures of a folder as a list shows them: each file with what was found in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.core import reply, requests, rules
from workbench.core.digest import is_digest
from workbench.core.findings import Finding
from workbench.core.fixtures import FixtureDocument, FixtureError, decode
from workbench.io.store import SUFFIX, FixtureStore

TEXT_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class FixtureEntry:
    """One ``*.json`` file of the folder.

    Attributes:
        digest: of the name, or None where the name is no digest.
        is_broken: the server can make no reply of it.
        answers: what it answers: the last user text of its stored request, or "" if unknown.
    """

    name: str
    digest: str | None
    findings: tuple[Finding, ...]
    answers: str
    description: str
    is_broken: bool = False

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)


class FixtureBook:
    """The entries by file name. ``examine`` is slow and for a thread; the rest is cheap."""

    def __init__(self, store: FixtureStore) -> None:
        self.entries: dict[str, FixtureEntry] = {}
        self._store = store

    def examine(self, name: str) -> FixtureEntry | None:
        """Read and check one file; None where it is gone."""
        digest = name.removesuffix(SUFFIX)
        try:
            data = (self._store.folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            finding = Finding("invalid-json", "error", f"cannot be read: {error.strerror}")
            found = digest if is_digest(digest) else None
            return FixtureEntry(name, found, (finding,), "", "", is_broken=True)
        answers = description = ""
        is_broken = False
        try:
            document = FixtureDocument(decode(data))
            description = document.description
            request = document.request
            answers = requests.last_user_text(request) if request else ""
            reply.fixture_reply(document.value, {})
        except FixtureError:
            is_broken = True
        return FixtureEntry(
            name,
            digest if is_digest(digest) else None,
            tuple(rules.check(data, rules.Context(filename=name))),
            answers[:TEXT_CHARACTERS],
            description[:TEXT_CHARACTERS],
            is_broken,
        )

    def apply(self, examined: Iterable[tuple[str, FixtureEntry | None]]) -> None:
        """Take in what ``examine`` found."""
        for name, entry in examined:
            if entry is None:
                self.entries.pop(name, None)
            else:
                self.entries[name] = entry

    def names(self) -> list[str]:
        """All names, sorted: digests first, then names that are none."""
        return sorted(self.entries, key=lambda n: (self.entries[n].digest is None, n))
