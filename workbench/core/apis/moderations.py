"""Moderations: nothing is flagged, unless the fixture of a request says which categories are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from workbench.core.digest import RequestError, json_type
from workbench.core.json.values import mappings, string
from workbench.core.requests.view import Payload

CATEGORIES: Final = (
    *("harassment", "harassment/threatening", "hate", "hate/threatening"),
    *("illicit", "illicit/violent", "self-harm", "self-harm/instructions", "self-harm/intent"),
    *("sexual", "sexual/minors", "violence", "violence/graphic"),
)
_DEFAULT_MODEL: Final = "omni-moderation-latest"
_FLAGGED_SCORE: Final = 0.99
_OTHER_SCORE: Final = 0.0001


def moderations(payload: Payload, flagged: str = "") -> dict[str, Any]:
    """The reply to ``POST /v1/moderations``.

    Args:
        flagged: the categories that each input falls under, separated by commas.

    Raises:
        RequestError: there is no input, or ``flagged`` has a name that is no category.
    """
    names = {name.strip() for name in flagged.split(",") if name.strip()}
    if unknown := names.difference(CATEGORIES):
        raise RequestError(
            "unknown_category",
            f"the fixture flags {', '.join(sorted(unknown))}; the categories of moderations are "
            f"{', '.join(CATEGORIES)}",
        )
    kinds = _inputs(payload.get("input"))
    name = hashlib.sha256(json.dumps(payload, sort_keys=True).encode("ascii")).hexdigest()
    return {
        "id": f"modr-e2e-{name[:12]}",
        "model": payload.get("model") or _DEFAULT_MODEL,
        "results": [_result(names, kinds_of_input) for kinds_of_input in kinds],
    }


def _result(flagged: set[str], kinds: Iterable[str]) -> dict[str, Any]:
    scores = {name: _FLAGGED_SCORE if name in flagged else _OTHER_SCORE for name in CATEGORIES}
    return {
        "flagged": bool(flagged),
        "categories": {name: name in flagged for name in CATEGORIES},
        "category_scores": scores,
        "category_applied_input_types": {name: list(kinds) for name in CATEGORIES},
    }


def _inputs(value: object) -> list[list[str]]:
    """What kinds of content each input has: a list of parts is one input."""
    if isinstance(value, str):
        return [["text"]]
    if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        return [["text"]] * len(value)
    if parts := mappings(value):
        kinds = [string(part.get("type")).removesuffix("_url") for part in parts]
        return [list(dict.fromkeys(filter(None, kinds)))]
    why = "is missing" if value is None else f"is {json_type(value)}; expected a text or texts"
    raise RequestError("invalid_value", f"input {why}")
