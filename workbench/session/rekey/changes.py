"""By which words the requests of re-keyed fixtures were changed: the old requests are gone."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from workbench.core.json.values import decoded, indented, mappings, string
from workbench.core.requests.request_change import ChangedWords, RequestChange
from workbench.io.files.atomic import write_atomic
from workbench.io.files.regular import read_regular
from workbench.io.state_folder import StateFolder

# So many that the first one of a large suite is still there when all others followed.
_MOST: Final = 5_000


class RekeyedChange(NamedTuple):
    """The change of the request of a fixture that was re-keyed from one digest to another."""

    old: str
    new: str
    change: RequestChange


class RekeyedChanges:
    """The last changes, the newest first; kept in the state folder.

    Attributes:
        offered: the change that is offered for other fixtures, or None.
    """

    def __init__(self, state_folder: StateFolder) -> None:
        self.offered: RekeyedChange | None = None
        self._state_folder = state_folder

    def add(self, changes: Sequence[RekeyedChange]) -> None:
        """Add what was re-keyed. It is lost where it cannot be written."""
        if not changes:
            return
        digests: defaultdict[RequestChange, list[dict[str, str]]] = defaultdict(list)
        for each in [*changes, *self.read()][:_MOST]:
            digests[each.change].append({"old": each.old, "new": each.new})
        records = [{"words": change.record, "digests": digests[change]} for change in digests]
        with contextlib.suppress(OSError):
            self._state_folder.ensure()
            write_atomic(self._state_folder.rekeyed, indented(records), mode=0o600)

    def read(self) -> list[RekeyedChange]:
        """All of them; what is broken in the file is left out."""
        try:
            text = read_regular(self._state_folder.rekeyed).decode("utf-8", "replace")
        except OSError:
            return []
        return [
            RekeyedChange(string(each.get("old")), string(each.get("new")), change)
            for record in mappings(decoded(text))
            if (change := _change(record.get("words"))).words
            for each in mappings(record.get("digests"))
        ]


def _change(words: object) -> RequestChange:
    pairs = [(each.get("before"), each.get("after")) for each in mappings(words)]
    return RequestChange(
        tuple(
            ChangedWords(before, after)
            for before, after in pairs
            if isinstance(before, str | None) and isinstance(after, str | None)
        )
    )
