"""Variants: requests of one digest that differ outside it, answered by one fixture."""

from __future__ import annotations

from workbench.core.digest import short
from workbench.core.fixtures.rules.wording import listed
from workbench.session.misses.miss_index import MissIndex


def variants_warning(book: MissIndex, digest: str) -> str:
    """A warning about a miss whose requests differ, with the keys they differ in; "" where there
    is only one.
    """
    miss = book.misses.get(digest)
    if miss is None or len(miss.dumps) < 2:
        return ""
    first, *others = book.payloads(digest)
    differing = {
        key
        for other in others
        for key in first.keys() | other.keys()
        if (key in first) != (key in other) or first.get(key) != other.get(key)
    }
    what = listed(sorted(differing)) if differing else "how they are written"
    shared = f"{len(miss.dumps)} requests share the digest {short(digest)}"
    return f"{shared} and differ in {what}; one fixture answers all of them"
