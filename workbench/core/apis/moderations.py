"""Moderations: nothing is flagged, unless the fixture of an input lists its categories."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

from workbench.core.apis.embeddings import check_count
from workbench.core.json.values import json_type, string
from workbench.core.request_body import RequestError
from workbench.core.requests.view import Payload

CATEGORIES: Final = (
    *("harassment", "harassment/threatening", "hate", "hate/threatening"),
    *("illicit", "illicit/violent", "self-harm", "self-harm/instructions", "self-harm/intent"),
    *("sexual", "sexual/minors", "violence", "violence/graphic"),
)
_DEFAULT_MODEL: Final = "omni-moderation-latest"
_FLAGGED_SCORE: Final = 0.99
_OTHER_SCORE: Final = 0.0001


def moderations(payload: Payload, flagged: Callable[[Payload], str]) -> dict[str, Any]:
    """The reply to ``POST /v1/moderations``.

    Args:
        flagged: returns the categories of an input, separated by commas. Its argument is the chat
            request whose only message is the input.

    Raises:
        RequestError: there are no inputs or too many, or ``flagged`` returns an unknown category.
    """
    name = hashlib.sha256(json.dumps(payload, sort_keys=True).encode("ascii")).hexdigest()
    model = payload.get("model") or _DEFAULT_MODEL
    results = []
    for content in _inputs(payload.get("input")):
        message = {"role": "user", "content": content}
        results.append(_result(content, flagged({"model": model, "messages": [message]})))
    return {"id": f"modr-e2e-{name[:12]}", "model": model, "results": results}


def _result(content: str | list[dict[str, Any]], flagged: str) -> dict[str, Any]:
    names = {name.strip() for name in flagged.split(",") if name.strip()}
    if unknown := names.difference(CATEGORIES):
        raise RequestError(
            "unknown_category",
            f"the fixture flags {', '.join(sorted(unknown))}; the categories of moderations are "
            f"{', '.join(CATEGORIES)}",
        )
    scores = {name: _FLAGGED_SCORE if name in names else _OTHER_SCORE for name in CATEGORIES}
    return {
        "flagged": bool(names),
        "categories": {name: name in names for name in CATEGORIES},
        "category_scores": scores,
        "category_applied_input_types": {name: _kinds(content) for name in CATEGORIES},
    }


def _kinds(content: str | list[dict[str, Any]]) -> list[str]:
    """The types of content in an input: ``text``, ``image``."""
    if isinstance(content, str):
        return ["text"]
    kinds = (string(part.get("type")).removesuffix("_url") for part in content)
    return list(dict.fromkeys(filter(None, kinds)))


def _inputs(value: object) -> list[str] | list[list[dict[str, Any]]]:
    """The inputs; a list of parts is one."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and value:
        check_count(value)
        if all(isinstance(text, str) for text in value):
            return value
        if all(isinstance(part, dict) for part in value):
            return [value]
    why = (
        "is missing"
        if value is None
        else f"is {json_type(value)}; expected a string or a list of strings"
    )
    raise RequestError("invalid_value", f"input {why}")
