"""Replies that somebody wrote into a checkpoint: by node, one each.

``mock-responses`` of a file without a format has what was sent, what came back and, as ``parsed``,
what the application made of it. ``next-expected-responses`` of the metadata has only what comes
back: of an LLM call its content as text or JSON, of another call what it returns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from workbench.core import run_lines
from workbench.core.digest import json_type
from workbench.core.runs import Exchange, Returned

# The key of an exchange that holds what the application made of its reply.
PARSED: Final = "parsed"
_EXPECTED: Final = ("next-expected-responses", "next_expected_responses")


def migrated(value: dict[str, Any]) -> dict[str, Any]:
    """A checkpoint without a format as one of format 1: it has dashes in names, and
    ``mock-responses``.
    """
    own = {key.rpartition("/")[2].replace("-", "_"): item for key, item in value.items()}
    responses = own.pop("mock_responses", None)
    if responses:
        own["exchanges"] = [
            json.loads(run_lines.line(_from_response(position, node, response)))
            for position, (node, response) in enumerate(responses.items(), 1)
        ]
    return {"format": 1, **own}


def _from_response(position: int, node: str, response: Mapping[str, Any]) -> Exchange:
    """The first key of such an entry is what was sent, the second what came back."""
    sent, received = [item for key, item in response.items() if key != PARSED][:2]
    extra = {PARSED: response[PARSED]} if PARSED in response else {}
    return Exchange(position, node, 1, {"0": sent}, Returned(received), extra=extra)


def expected(metadata: dict[str, Any], recorded: Sequence[Exchange]) -> Iterator[Exchange]:
    """The ``next-expected-responses``, taken out of ``metadata``, for nodes without a recorded
    exchange.

    Raises:
        ValueError: they are no object.
    """
    nodes = {exchange.node for exchange in recorded}
    position = max((exchange.position for exchange in recorded), default=0)
    for key in _EXPECTED:
        for node, response in members(metadata.pop(key, None), f"metadata.{key}").items():
            if node not in nodes:
                position += 1
                # What is asked for it was not written down.
                yield Exchange(position, node, 1, None, Returned(response))


def members(value: Any, where: str) -> dict[str, Any]:
    """A copy of ``value``, an object or null. Raises ValueError where it is something else."""
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"{where} is {json_type(value)}, not an object")
    return dict(value or {})
