"""The real model that a mock passes requests on to; its replies may be kept as fixtures."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TYPE_CHECKING

from workbench.core.apis.paths import target
from workbench.core.apis.table import api_of
from workbench.core.fixture.recorded import (
    REPEATS_KEY,
    NoFixtureError,
    as_answer,
    is_tried_again,
    read_reply,
)
from workbench.core.replies.http_reply import Frame, HTTPReply
from workbench.core.replies.response import NotAReplyError
from workbench.core.written.credentials import Credentials
from workbench.core.written.request import as_written
from workbench.io.fixture.asker import Asker
from workbench.io.fixture.reply_saver import HasFixtureError, ReplySaver
from workbench.io.network.upstream_url import api_url
from workbench.testing.mocks.calls import Call
from workbench.testing.mocks.errors import MockLLMError
from workbench.testing.mocks.replies import Reply

if TYPE_CHECKING:
    from workbench.core.apis.reading import Reading
    from workbench.io.network.upstream import Upstream

_logger = logging.getLogger("workbench.testing")


class UpstreamFailedError(MockLLMError):
    """The real model did not answer, or its reply cannot be saved as a fixture."""

    code = "upstream_failed"


class LiveModel:
    """The real model behind a mock.

    Args:
        base_url: URL of its API.
        saver: saves its replies as fixtures; None to save nothing.
        test: ID of the test, for the descriptions of fixtures.

    Attributes:
        remarks: what kept fixtures leave out, a sentence for each.
    """

    def __init__(self, base_url: str, saver: ReplySaver | None = None, test: str = "") -> None:
        self.remarks: list[str] = []
        self._base_url = base_url
        self._saver = saver
        self._test = test
        self._asker = Asker()

    def forward(self, call: Call, headers: Mapping[str, str], body: bytes, query: str) -> HTTPReply:
        """Ask for the reply to a call, with the client's own headers, body and query. Keys in them
        are sent, never kept.

        Raises:
            UpstreamFailedError: there was no reply, or it could not be kept.
        """
        from workbench.io.network.upstream import Upstream, UpstreamError  # loads httpx

        try:
            upstream = Upstream(self._base_url)
        except ValueError as error:
            raise UpstreamFailedError(f"The real model cannot be called: {error}") from None
        written = as_written(call.payload, headers.items(), query, more=upstream.secrets)
        credentials = written.credentials
        try:
            with ThreadPoolExecutor(1) as thread:  # the caller may have an event loop
                reply = thread.submit(asyncio.run, _reply(upstream, call, headers, body, query))
                status, content_type, received, retry_after = reply.result()
        except UpstreamError as error:
            reason = credentials.masked(str(error))
            where = api_url(self._base_url, target(call.payload)[0]).partition("?")[0]
            raise UpstreamFailedError(f"{where} did not answer: {reason}") from None
        call.source = "live"
        is_repeated = credentials.are_in_body(content_type, received)
        call.is_secret = is_repeated or written.is_secret
        try:
            reading = api_of(call.payload).replies.read(content_type, received)
        except NotAReplyError as error:
            call.reply = Reply({"error": {"status": status, "message": str(error)}})
            if is_tried_again(status) and not is_repeated:
                error_reply = read_reply(
                    call.payload, content_type, received, status=status, retry_after=retry_after
                )
                self._asker.take_error(_key(call), error_reply)
            if self._saver is not None:
                why = str(error) if status == HTTPStatus.OK else f"the status is {status}"
                _logger.warning("kept no fixture %s: %s", call.digest, why)
        else:
            call.reply = Reply(reading.response)
            self._keep(call, reading, credentials, is_repeated=is_repeated)
        return HTTPReply(status, content_type, [Frame("body", received)])

    def _keep(
        self, call: Call, reading: Reading, credentials: Credentials, *, is_repeated: bool
    ) -> None:
        """Save the reply as a fixture, unless there is one already.

        Args:
            is_repeated: it repeats one of the credentials.
        """
        if self._saver is None:
            return
        try:
            if is_repeated:
                raise NoFixtureError(REPEATS_KEY)
            reply = as_answer(call.payload, reading)
            remark = self._saver.save(
                call.payload,
                call.digest,
                reply,
                source="recorded",
                credentials=credentials,
                test=self._test,
                first=self._asker.errors(_key(call)),
            ).remark
        except HasFixtureError:
            return
        except NoFixtureError as error:
            raise UpstreamFailedError(
                f"The reply of the real model cannot be saved as a fixture: {error}"
            ) from None
        if remark:
            _logger.warning("kept fixture %s %s", call.digest, remark)
            self.remarks.append(f"{call.digest} was recorded {remark}")


async def _reply(
    upstream: Upstream, call: Call, headers: Mapping[str, str], body: bytes, query: str
) -> tuple[int, str, bytes, str]:
    """Status, content type, body and Retry-After of the reply. Raises UpstreamError."""
    try:
        async with upstream.ask(call.payload, body, headers, query) as arriving:
            parts = [part async for part in arriving.parts]
    finally:
        await upstream.close()
    return arriving.status, arriving.content_type, b"".join(parts), arriving.retry_after


def _key(call: Call) -> tuple[str, str]:
    """A key that is the same if a request is sent again."""
    return call.digest, call.view.variant
