"""Replies that somebody wrote into a checkpoint: by node, one each.

``mock-responses`` of a file without a format has what was sent, what came back and, as ``parsed``,
what the application made of it. ``next-expected-responses`` of the metadata has only what comes
back: of an LLM call its content as text or JSON, of another call what it returns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from workbench.core.models import checked
from workbench.core.runs import lines
from workbench.core.runs.exchanges import Exchange, Returned

# The key of an exchange that holds what the application made of its reply.
PARSED: Final = "parsed"
_EXPECTED: Final = ("next-expected-responses", "next_expected_responses")


def migrated(value: dict[str, Any]) -> dict[str, Any]:
    """A checkpoint without a format as one of format 1: it has dashes in names, and
    ``mock-responses``.
    """
    own = {key.rpartition("/")[2].replace("-", "_"): item for key, item in value.items()}
    if responses := own.pop("mock_responses", None):
        responses = checked(dict[str, dict[str, Any]], responses, "mock-responses")
        own["exchanges"] = [
            json.loads(lines.line(_from_response(position, node, response)))
            for position, (node, response) in enumerate(responses.items(), 1)
        ]
    return {"format": 1, **own}


def _from_response(position: int, node: str, response: Mapping[str, Any]) -> Exchange:
    """The first key of such an entry is what was sent, the second what came back."""
    said = [item for key, item in response.items() if key != PARSED]
    if len(said) < 2:
        raise ValueError(f"mock-responses.{node} does not say what was sent and what came back")
    sent, received = said[:2]
    extra = {PARSED: response[PARSED]} if PARSED in response else {}
    return Exchange(position, node, 1, {"0": sent}, Returned(received), extra=extra)


def expected(metadata: dict[str, Any], recorded: Sequence[Exchange]) -> Iterator[Exchange]:
    """The ``next-expected-responses``, taken out of ``metadata``, for nodes without a recorded
    exchange.

    Raises:
        FormatError: they are no object.
    """
    nodes = {exchange.node for exchange in recorded}
    position = max((exchange.position for exchange in recorded), default=0)
    for key in _EXPECTED:
        written = checked(dict[str, Any], metadata.pop(key, None) or {}, f"metadata.{key}")
        for node, response in written.items():
            if node not in nodes:
                position += 1
                # What is asked for it was not written down.
                yield Exchange(position, node, 1, None, Returned(response))
