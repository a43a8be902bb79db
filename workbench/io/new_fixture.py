"""Saving a fixture that was made of a recorded reply."""

from __future__ import annotations

from workbench.core.fixtures.document import FixtureDocument, decode
from workbench.core.fixtures.variants import combined
from workbench.core.replies.response import FixtureError
from workbench.io.store import FixtureChangedError, FixtureStore


def save_new(
    store: FixtureStore, digest: str, made: FixtureDocument, *, dry_run: bool = False
) -> None:
    """Save a new fixture; where another request of its digest has one, add a variant to that.

    Args:
        dry_run: only find out whether it can be done.

    Raises:
        FixtureChangedError: there is a fixture that answers the request.
        OSError: it cannot be written.
    """
    stamp = store.stamp(digest)
    document = made if stamp is None else with_variant(store, digest, made)
    if document is None:
        raise FixtureChangedError(digest, stamp)
    if not dry_run:
        data = document.text.encode("utf-8", "backslashreplace")
        store.save(digest, data, expected=stamp)


def with_variant(
    store: FixtureStore, digest: str, made: FixtureDocument, *, overwrite: bool = False
) -> FixtureDocument | None:
    """The fixture in the file of a digest with the answer of ``made`` as a variant; None where it
    answers that request already, or cannot be read. ``overwrite`` is as in ``combined``. Raises
    OSError.
    """
    try:
        file = FixtureDocument(decode(store.read(digest) or b""))
        return combined(file, made, overwrite=overwrite)
    except FixtureError:
        return None
