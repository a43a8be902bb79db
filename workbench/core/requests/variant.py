"""The variant of a request, which distinguishes it from others with the same digest."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any, Final

from workbench.core.json.values import sorted_json
from workbench.core.secrets.bodies import may_be_named, named_in, without

VARIANT: Final = r"[0-9a-f]{8}"
"""Of a variant in the name of a fixture, ``<digest>.<variant>.json``."""


def variant(outside: list[Any]) -> str:
    """8 hexadecimal digits of a hash of the parts outside the digest that a reply depends on.

    Args:
        outside: the offered tools and the output format, in a form common to all APIs. Credentials,
            recognised by name, are excluded, because stored requests have none.
    """
    return _hash(sorted_json(outside))


# A suite offers few sets of tools, again and again.
@lru_cache(maxsize=64)
def _hash(outside: str) -> str:
    written = outside.encode("utf-8", "surrogatepass")
    if may_be_named(written):
        value = json.loads(outside)
        written = sorted_json(without(value, named_in(value))).encode("utf-8", "surrogatepass")
    return hashlib.sha256(written).hexdigest()[:8]
