"""Nothing of one test stays for the next, but for the style sheets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from textual._styles_cache import StylesCache
from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet


@pytest.fixture(autouse=True)
def _drawn_is_let_go() -> Iterator[None]:
    """Textual keeps what widgets drew that are gone; the search for garbage reads it each time."""
    yield
    StylesCache.get_inner_outer.cache_clear()


@pytest.fixture(autouse=True, scope="session")
def _style_sheets_are_parsed_once() -> Iterator[None]:
    """All applications have the same ones: parsing them is a tenth of a start."""
    caches: defaultdict[frozenset[Any], Any] = defaultdict(lambda: LRUCache(512))
    begin, set_variables = Stylesheet.__init__, Stylesheet.set_variables

    def begin_with_shared(self: Stylesheet, *, variables: dict[str, str] | None = None) -> None:
        begin(self, variables=variables)
        self._parse_cache = caches[frozenset((variables or {}).items())]

    def share(self: Stylesheet, variables: dict[str, str]) -> None:
        self._parse_cache = LRUCache(1)  # it is cleared
        set_variables(self, variables)
        self._parse_cache = caches[frozenset(variables.items())]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Stylesheet, "__init__", begin_with_shared)
        patched.setattr(Stylesheet, "set_variables", share)
        yield
