"""The fixtures that answer what no script does, and the requests that nothing answered."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.answering.lookup import OtherLookup
from workbench.core.requests.view import RequestView
from workbench.io.fixture.equivalents import EquivalentFixtures
from workbench.io.fixture.ignore_list import ignored
from workbench.io.fixture.store import FixtureStore

if TYPE_CHECKING:
    from workbench.core.requests.volatile import VolatileKind
    from workbench.io.fixture.nearest_search import NearestIndex

__tracebackhide__ = True  # failed tests show their own frames


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
        self, store: FixtureStore | Path | str, *, normalise: Collection[VolatileKind] = ()
    ) -> None:
        self.store = store if isinstance(store, FixtureStore) else FixtureStore(Path(store))
        folder = self.store.folder
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(f"fixtures are in a folder; {folder} is not one")
        self.equivalents = EquivalentFixtures(self.store)
        self._normalise = normalise

    @property
    def others(self) -> list[OtherLookup]:
        """Find the fixtures of other requests that answer a miss: of equivalent ones and, where the
        settings say so, of the same ones on another day.
        """
        lookups: list[OtherLookup] = [self.equivalents.load]
        if self._normalise:
            lookups.append(partial(self._index.of_another_day, kinds=self._normalise))
        return lookups

    def ignores(self, request: str) -> bool:
        """Whether the ignore list of the folder names a request: its digest, or method and path."""
        return request in ignored(self.store.folder)

    def explained(self, request: RequestView) -> str:
        """Why a request has no fixture, in a sentence that names the nearest one."""
        return self._index.explained(request)

    @cached_property
    def _index(self) -> NearestIndex:
        from workbench.io.fixture.nearest_search import NearestIndex

        return NearestIndex(self.store)
