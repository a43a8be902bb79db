"""What a mock did not answer, and what went wrong in it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.testing.mocks.calls import Call
from workbench.testing.mocks.errors import MockLLMError, NoReplyError, UnsupportedRequestError

_logger = logging.getLogger("workbench.testing")


@dataclass(frozen=True, slots=True)
class Miss:
    """A request that nothing answered; ``reason`` says what came nearest."""

    call: Call
    reason: str


class Unanswered:
    """The problems, misses and unsupported requests of a mock. Safe for threads.

    Args:
        strict: what is not answered is a problem, too.
        on_miss, on_unsupported: are told of each.
    """

    def __init__(
        self,
        *,
        strict: bool,
        on_miss: Callable[[Miss], None] | None,
        on_unsupported: Callable[[UnsupportedRequest], None] | None,
    ) -> None:
        self._strict = strict
        self._on_miss = on_miss
        self._on_unsupported = on_unsupported
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        with self._lock:
            self._problems: list[MockLLMError] = []
            self._misses: list[Miss] = []
            self._unsupported: list[UnsupportedRequest] = []

    @property
    def problems(self) -> list[MockLLMError]:
        with self._lock:
            return list(self._problems)

    @property
    def misses(self) -> list[Miss]:
        with self._lock:
            return list(self._misses)

    @property
    def unsupported(self) -> list[UnsupportedRequest]:
        with self._lock:
            return list(self._unsupported)

    def note(self, error: MockLLMError) -> MockLLMError:
        """Keep a problem; returns it, to be raised."""
        with self._lock:
            self._problems.append(error)
        _logger.warning("%s: %s", error.code, error)
        return error

    def note_miss(self, miss: Miss) -> None:
        """Keep a miss. Raises NoReplyError where no fallback is wanted."""
        with self._lock:
            self._misses.append(miss)
        if self._on_miss is not None:
            self._on_miss(miss)
        if self._strict:
            raise self.note(NoReplyError(miss.reason))

    def note_unsupported(self, request: UnsupportedRequest) -> None:
        """Keep a request that a mock does not speak."""
        with self._lock:
            self._unsupported.append(request)
        if self._strict:
            self.note(UnsupportedRequestError(request.message))
        if self._on_unsupported is not None:
            self._on_unsupported(request)
