"""The mock that the pytest fixture ``mock_llm`` returns. It uses the fixtures of the project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.replies.profile_names import RUN_PROFILE, ProfileName
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.testing.mocks.calls import Call
from workbench.testing.mocks.mock_llm import MockLLM

if TYPE_CHECKING:
    from workbench.testing.mocks.live import LiveModel

__tracebackhide__ = True  # failed tests show their own frames


class ProjectMock(MockLLM):
    """A mock that reports what it answers and what it cannot answer.

    Args:
        stored: fixtures for requests that no script answers; the mocks of a session share them.
        on_unanswered: called with each request that nothing answers, or that is not supported.
        on_served: called with the digest of each fixture that answers a request, or that is
            recorded.
        log_options: makes the options with which commands find the log that ``on_unanswered``
            writes; None if it writes none.
        upstream: the real model, which answers instead of scripts and fixtures.
    """

    def __init__(
        self,
        stored: StoredFixtures | None = None,
        *,
        profile: ProfileName = RUN_PROFILE,
        on_unanswered: Callable[[Call | UnsupportedRequest], None] | None = None,
        on_served: Callable[[str], None] | None = None,
        log_options: Callable[[], Sequence[str]] | None = None,
        upstream: LiveModel | None = None,
    ) -> None:
        super().__init__(profile=profile)
        self._engine = replace(
            self._engine,
            stored=stored,
            on_unanswered=on_unanswered,
            on_served=on_served,
            log_options=log_options,
            upstream=upstream,
        )

    @property
    def remarks(self) -> list[str]:
        """The parts that the recorded fixtures leave out, one sentence each (``--llm-record``)."""
        model = self._engine.upstream
        return [] if model is None else list(model.remarks)
