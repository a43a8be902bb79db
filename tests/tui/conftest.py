"""Nothing of one test stays for the next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from textual._styles_cache import StylesCache


@pytest.fixture(autouse=True)
def _drawn_is_let_go() -> Iterator[None]:
    """Textual keeps what widgets drew that are gone; the search for garbage reads it each time."""
    yield
    StylesCache.get_inner_outer.cache_clear()
