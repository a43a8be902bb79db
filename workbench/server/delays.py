"""Delays that a request or the environment asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MAX_MS = 600_000

_TOTAL_HEADER = b"x-mock-llm-total-delay-ms"
_CHUNK_HEADER = b"x-mock-llm-stream-chunk-delay-ms"
_TOTAL_VARIABLE = "MOCK_LLM_FORCE_TOTAL_DELAY_MS"
_CHUNK_VARIABLE = "MOCK_LLM_FORCE_STREAM_CHUNK_DELAY_MS"


def milliseconds(text: str) -> int:
    """The delay in ``text``, 0 to ten minutes; what is no number is no delay."""
    try:
        return max(0, min(int(text), MAX_MS))
    except ValueError:
        return 0


@dataclass(frozen=True, slots=True)
class Delays:
    """How long to wait before a reply, and before each paced frame of a stream."""

    total_ms: int = 0
    chunk_ms: int = 0

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Delays:
        return cls(
            milliseconds(environment.get(_TOTAL_VARIABLE, "")),
            milliseconds(environment.get(_CHUNK_VARIABLE, "")),
        )

    def of(self, headers: Mapping[bytes, bytes]) -> Delays:
        """The delays of one request: its headers' where they ask for any, else these."""
        if _TOTAL_HEADER not in headers and _CHUNK_HEADER not in headers:
            return self
        return Delays(
            _header(headers, _TOTAL_HEADER) or self.total_ms,
            _header(headers, _CHUNK_HEADER) or self.chunk_ms,
        )


def _header(headers: Mapping[bytes, bytes], name: bytes) -> int:
    return milliseconds(headers.get(name, b"").decode("latin-1"))
