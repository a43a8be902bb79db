"""Delays that are set by a request, its fixture or the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workbench.core.replies.fixture_form import MAX_DELAY_MS
from workbench.core.replies.response import AT_ONCE, Delivery

_TOTAL_HEADER = "x-mock-llm-total-delay-ms"
_CHUNK_HEADER = "x-mock-llm-stream-chunk-delay-ms"
_TOTAL_VARIABLE = "MOCK_LLM_FORCE_TOTAL_DELAY_MS"
_CHUNK_VARIABLE = "MOCK_LLM_FORCE_STREAM_CHUNK_DELAY_MS"


def milliseconds(text: str) -> int:
    """The delay in ``text``, 0 to ten minutes; text that is not a number means no delay."""
    try:
        return max(0, min(int(text), MAX_DELAY_MS))
    except ValueError:
        return 0


class Delays(NamedTuple):
    """How long to wait before a reply, and before each paced frame of a stream."""

    total_ms: int = 0
    chunk_ms: int = 0

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Delays:
        return cls(
            milliseconds(environment.get(_TOTAL_VARIABLE, "")),
            milliseconds(environment.get(_CHUNK_VARIABLE, "")),
        )

    def of(self, headers: Mapping[str, str], delivery: Delivery = AT_ONCE) -> Delays:
        """The delays of one reply. Each is set by the request's header, else by its fixture, else
        by this object; 0 means none.
        """
        has_header = _TOTAL_HEADER in headers or _CHUNK_HEADER in headers
        if not has_header and delivery is AT_ONCE:
            return self
        return Delays(
            _header(headers, _TOTAL_HEADER) or delivery.delay_ms or self.total_ms,
            _header(headers, _CHUNK_HEADER) or delivery.chunk_delay_ms or self.chunk_ms,
        )


def _header(headers: Mapping[str, str], name: str) -> int:
    return milliseconds(headers.get(name, ""))
