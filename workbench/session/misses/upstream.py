"""Drafts that a real model writes: the upstream is asked with a miss's own request."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from workbench.core.apis.chat.api import CHAT
from workbench.core.replies.response import NotAReplyError
from workbench.io.upstream_url import KEY_VARIABLE, host_of
from workbench.session.wording import brief_time, counted

if TYPE_CHECKING:
    from workbench.io.upstream import Upstream

HEADERS: Final = {"content-type": "application/json"}


class NoAnswerError(Exception):
    """The upstream gave no reply that a draft could be; the text says why, and shows no key."""


@dataclass(slots=True)
class Wait:
    """A request that the upstream was asked and has not answered.

    Attributes:
        since: of ``time.monotonic``.
        received: how many bytes of the reply are there.
    """

    since: float
    received: int = 0


@dataclass
class UpstreamDrafts:
    """The API that drafts may be asked of, and what is under way.

    Attributes:
        url: as clients are given it; "" where none is named.
        is_agreed: somebody said in this session that requests may go there.
        waits: by the digest of the request.
        answers: the ``response`` objects that came and that no draft has taken, by digest.
    """

    url: str = ""
    is_agreed: bool = False
    waits: dict[str, Wait] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def has_key(self) -> bool:
        """Whether a key goes along."""
        return bool(os.environ.get(KEY_VARIABLE, "").strip())

    @property
    def progress(self) -> str:
        """What is under way, in a line; "" for nothing."""
        if not self.waits:
            return ""
        waits = self.waits.values()
        many = f" for {counted(len(waits), 'draft')}" if len(waits) > 1 else ""
        longest = brief_time(time.monotonic() - min(wait.since for wait in waits))
        received = counted(sum(wait.received for wait in waits), "byte")
        return f"Asking {self.host}{many} · {longest} · {received} · esc stops"

    async def ask(self, digest: str, payload: Mapping[str, Any]) -> None:
        """Ask with the request of ``digest``, streamed or whole as it says; the answer stands in
        ``answers`` then. Cancelled, it hangs up.

        Raises:
            NoAnswerError: there is none.
        """
        wait = self.waits[digest] = Wait(time.monotonic())
        try:
            # With it comes httpx, whose certificates take a moment, too.
            upstream = await asyncio.to_thread(_open, self.url)
            try:
                self.answers[digest] = await _answer(upstream, payload, wait)
            finally:
                await upstream.close()
        finally:
            del self.waits[digest]


def _open(url: str) -> Upstream:
    from workbench.io.upstream import Upstream

    try:
        return Upstream.from_environment(url)
    except (ValueError, OSError) as error:  # the latter of certificates
        raise NoAnswerError(str(error)) from None


async def _answer(upstream: Upstream, payload: Mapping[str, Any], wait: Wait) -> dict[str, Any]:
    """The ``response`` of what the upstream says. Raises NoAnswerError."""
    from workbench.io.upstream import UpstreamError

    received = bytearray()
    credentials = upstream.credentials()
    try:
        async with upstream.ask(json.dumps(payload).encode("ascii"), HEADERS) as arriving:
            async for part in arriving.parts:
                received += part
                wait.received = len(received)
        response = CHAT.read_reply(arriving.content_type, bytes(received))
    except UpstreamError as error:
        raise NoAnswerError(credentials.masked(str(error))) from None
    except NotAReplyError as error:
        answers = f"{upstream.name} answers {arriving.status}: {error}"
        raise NoAnswerError(credentials.masked(answers)) from None
    if arriving.status != HTTPStatus.OK:
        raise NoAnswerError(f"{upstream.name} answers {arriving.status}")
    if credentials.are_in_reply(arriving.content_type, bytes(received)):
        raise NoAnswerError(f"{upstream.name} answers with the key it was asked with")
    return response
