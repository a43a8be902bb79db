"""The fixtures that answer what no script does, and the requests that nothing answered."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.fixture.variants import for_request
from workbench.io.fixture.equivalents import EquivalentFixtures
from workbench.io.fixture.ignore_list import ignored
from workbench.io.fixture.store import FixtureStore
from workbench.testing.mocks.calls import Call

if TYPE_CHECKING:
    from workbench.core.requests.volatile_kinds import Kind
    from workbench.io.fixture.nearest import NearestIndex

__tracebackhide__ = True  # failed tests show their own frames


@dataclass(frozen=True, slots=True)
class MissedCall:
    """A request that nothing answered; ``reason`` names the nearest fixture and script."""

    call: Call
    reason: str


class StoredFixtures:
    """The fixtures of a folder. Mocks of a test session share one, because reading all of them
    takes time.

    Args:
        store: the folder need not exist.
        normalise: the kinds of text in which a request may differ from that of its fixture.

    Raises:
        NotADirectoryError: it is something else.
    """

    def __init__(
        self, store: FixtureStore | Path | str, *, normalise: Collection[Kind] = ()
    ) -> None:
        self.store = store if isinstance(store, FixtureStore) else FixtureStore(Path(store))
        folder = self.store.folder
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(f"fixtures are in a folder; {folder} is not one")
        self.equivalents = EquivalentFixtures(self.store)
        self._normalise = normalise

    def load(self, call: Call) -> Mapping[str, Any] | None:
        """The fixture that answers a call: its own, or that of an equivalent request, or of the
        same one on another day where the project wants that.

        Raises:
            FixtureError: its own is there and cannot be used.
        """
        return for_request(call.view, lambda _: self._load(call))(call.digest)

    def _load(self, call: Call) -> Mapping[str, Any] | None:
        fixture = self.store.load(call.digest)
        if fixture is None and (found := self.equivalents.load(call.view)) is not None:
            fixture = found[1]
        if fixture is None and self._normalise:
            fixture = self._of_another_day(call)
        return fixture

    def _of_another_day(self, call: Call) -> Mapping[str, Any] | None:
        try:
            self._index.refresh()
            same = self._index.same_but_for(call.digest, call.view, self._normalise)
        except OSError:
            return None  # the sentence on the nearest says so
        return None if same is None else self.store.load(same.digest)

    def ignores(self, request: str) -> bool:
        """Whether the ignore list of the folder names a request: its digest, or method and path."""
        return request in ignored(self.store.folder)

    def nearest(self, call: Call) -> str:
        """A sentence with the nearest fixture and the first difference."""
        if not self.store.folder.exists():
            return f"No fixture for {call.digest}: there is no folder {self.store.folder}."
        from workbench.core.requests.nearest import sentence

        try:
            self._index.refresh()
        except OSError as error:
            return f"No fixture for {call.digest}; the others cannot be read: {error.strerror}."
        return sentence(call.digest, self._index.nearest(call.digest, call.view))

    @cached_property
    def _index(self) -> NearestIndex:
        from workbench.io.fixture.nearest import NearestIndex

        return NearestIndex(self.store)
