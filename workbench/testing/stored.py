"""What the fixtures of a folder say of a request that none of them answers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from workbench.io.store import FixtureStore
from workbench.testing.calls import Call

if TYPE_CHECKING:
    from workbench.session.nearest import NearestBook

# Reading a folder takes its time; the mocks of a session share theirs.
_books: WeakKeyDictionary[FixtureStore, NearestBook] = WeakKeyDictionary()
_lock = threading.Lock()


def nearest(store: FixtureStore, call: Call) -> str:
    """The nearest fixture and the first difference, in a sentence."""
    from workbench.core.nearest import sentence
    from workbench.session.nearest import NearestBook

    with _lock:
        book = _books.get(store)
        if book is None:
            book = _books[store] = NearestBook(store)
    try:
        book.refresh()
    except OSError as error:
        return f"No fixture for {call.digest}; the others cannot be read: {error.strerror}."
    return sentence(call.digest, book.nearest(call.digest, call.payload))
