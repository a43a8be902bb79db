"""Drafts written by the upstream API, which gets the request of the miss."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from workbench.core.apis.paths import target
from workbench.core.apis.table import api_of
from workbench.core.fixture.names import digest_of
from workbench.core.text.wording import brief_time, counted
from workbench.core.user_error import UserError
from workbench.core.written.credentials import Credentials
from workbench.io.network.upstream_url import KEY_VARIABLE, host_of
from workbench.session.drafts import editing
from workbench.session.drafts.store import Draft

if TYPE_CHECKING:
    from workbench.core.apis.reading import Reading
    from workbench.io.network.upstream import Upstream

HEADERS: Final = {"content-type": "application/json"}


class NoAnswerError(UserError):
    """The upstream sent no usable reply; the text does not contain the key."""


@dataclass(slots=True)
class Wait:
    """A request to the upstream that is not answered yet.

    Attributes:
        since: of ``time.monotonic``.
        received: bytes of the reply so far.
    """

    since: float
    received: int = 0


class UpstreamAnswer(NamedTuple):
    """The upstream's answer to a request.

    Attributes:
        response: the ``response`` of a fixture.
        left_out: the parts of the reply that a fixture cannot contain.
    """

    payload: Mapping[str, Any]
    response: dict[str, Any]
    left_out: list[str]


@dataclass
class UpstreamDrafts:
    """The upstream API, the requests to it, and its answers.

    Attributes:
        url: its base URL; "" for none.
        is_agreed: a person agreed in this session to send requests there.
        waits: by digest.
        answers: those not yet written into a draft, by digest.
    """

    url: str = ""
    is_agreed: bool = False
    waits: dict[str, Wait] = field(default_factory=dict)
    answers: dict[str, UpstreamAnswer] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def has_key(self) -> bool:
        """True if requests are sent with a key."""
        return bool(os.environ.get(KEY_VARIABLE, "").strip())

    @property
    def progress(self) -> str:
        """The requests that wait, in a line; "" for none."""
        if not self.waits:
            return ""
        waits = self.waits.values()
        many = f" for {counted(len(waits), 'draft')}" if len(waits) > 1 else ""
        longest = brief_time(time.monotonic() - min(wait.since for wait in waits))
        received = counted(sum(wait.received for wait in waits), "byte")
        return f"Asking {self.host}{many} · {longest} · {received} · esc stops"

    async def ask(self, digest: str, payload: Mapping[str, Any]) -> None:
        """Send the request of ``digest`` and put the answer into ``answers``. Cancelling hangs up.

        Raises:
            NoAnswerError: the upstream sent no usable reply.
        """
        import asyncio

        wait = self.waits[digest] = Wait(time.monotonic())
        try:
            # In a thread: importing httpx and reading certificates take a moment.
            upstream = await asyncio.to_thread(open_upstream, self.url)
            try:
                read = await answer(upstream, payload, wait)
            finally:
                await upstream.close()
            self.answers[digest] = UpstreamAnswer(payload, *read)
        finally:
            del self.waits[digest]

    def write_into(self, draft: Draft) -> None:
        """Write the received answer for its digest into a draft.

        Raises:
            FixtureError: the text of the draft is not a fixture.
        """
        came = self.answers[digest_of(draft.name)]
        draft.set_document(editing.with_recorded(draft.document, came.response))


def open_upstream(url: str) -> Upstream:
    """A client of the API at ``url``, with the key of the environment. Raises NoAnswerError."""
    from workbench.io.network.upstream import Upstream

    try:
        return Upstream.from_environment(url)
    except (ValueError, OSError) as error:  # the latter of certificates
        raise NoAnswerError(str(error)) from None


async def answer(
    upstream: Upstream, payload: Mapping[str, Any], wait: Wait | None = None
) -> Reading:
    """The upstream's reply as a fixture's ``response``, and the parts that are left out. Cancelling
    hangs up.

    Args:
        wait: records how much of the reply has arrived.

    Raises:
        NoAnswerError: the upstream sent no usable reply.
    """
    from workbench.core.fixture.recorded import NoFixtureError, error_reason, read_answer
    from workbench.io.network.upstream import UpstreamError

    received = bytearray()
    credentials = Credentials(upstream.secrets)
    try:
        _, query, body = target(payload)
        data = json.dumps(body).encode("ascii")
        headers = {**HEADERS, **dict(api_of(payload).client.headers)}
        async with upstream.ask(payload, data, headers, query) as arriving:
            async for part in arriving.parts:
                received += part
                if wait is not None:
                    wait.received = len(received)
        if arriving.status != HTTPStatus.OK:
            reason = error_reason(bytes(received), credentials)
            no_key = upstream.about_key(arriving.status, headers, query)
            raise NoAnswerError(f"{upstream.name} answers {arriving.status}{reason}{no_key}")
        read = read_answer(payload, arriving.content_type, bytes(received), credentials)
    except UpstreamError as error:
        raise NoAnswerError(credentials.masked(str(error))) from None
    except NoFixtureError as error:
        answers = f"{upstream.name} answers {arriving.status}: {error}"
        raise NoAnswerError(credentials.masked(answers)) from None
    return read
