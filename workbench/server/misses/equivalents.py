"""Answering a request from the fixture of an equivalent one."""

from __future__ import annotations

import asyncio

from workbench.core.fixtures.variants import for_request
from workbench.core.log.lines import served_line
from workbench.core.replies.answer import Answer
from workbench.core.replies.answer import answer as find_answer
from workbench.core.requests.view import RequestView
from workbench.io.fixtures.equivalents import EquivalentFixtures


class Equivalents:
    """Answers misses whose request is written differently in the fixture that is meant."""

    def __init__(self, fixtures: EquivalentFixtures) -> None:
        self._fixtures = fixtures

    async def answer(self, request: RequestView, miss: Answer) -> tuple[Answer, str] | None:
        """The answer to a miss and its log line, if there is such a fixture."""
        found = await asyncio.to_thread(self._fixtures.load, request)
        if found is None:
            return None
        digest, fixture = found
        answer = find_answer(request, miss.digest, for_request(request, lambda _: fixture))
        if answer.source != "fixture":
            return None
        return answer, served_line(digest, equivalent_to=miss.digest)
