"""The real model behind a mock: requests are passed on, and replies kept as fixtures."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from workbench.core import collapse
from workbench.core.recorded import fixture_of
from workbench.core.wire import Frame, HTTPReply
from workbench.io.store import FixtureChangedError, FixtureStore
from workbench.testing.calls import Call
from workbench.testing.errors import MockLLMError
from workbench.testing.replies import Reply

_logger = logging.getLogger("workbench.testing")


class UpstreamError(MockLLMError):
    """The real model could not be asked."""

    code = "upstream_failed"


class Upstream:
    """The API at ``base_url``.

    Args:
        store: replies are kept there as fixtures, if given.
    """

    def __init__(self, base_url: str, store: FixtureStore | None = None) -> None:
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._store = store

    def forward(self, call: Call, headers: Mapping[str, str]) -> HTTPReply:
        """Ask for the reply to a call, with the client's own headers; keys are sent, never kept.

        Raises:
            UpstreamError: there was none, or it could not be kept.
        """
        import httpx

        from workbench.io.upstream import READ_SECONDS, passed_on

        sent = passed_on(headers)
        try:
            got = httpx.post(self._url, json=call.payload, headers=sent, timeout=READ_SECONDS)
        except httpx.HTTPError as error:
            raise UpstreamError(f"{self._url} did not answer: {error}") from None
        content_type = got.headers.get("content-type", "")
        call.source = "live"
        try:
            call.reply = Reply(collapse.collapse(content_type, got.content))
        except collapse.NotAReplyError as error:
            call.reply = Reply({"error": {"status": got.status_code, "message": str(error)}})
        else:
            self._keep(call, content_type, got.content)
        return HTTPReply(got.status_code, content_type, [Frame("body", got.content)])

    def _keep(self, call: Call, content_type: str, body: bytes) -> None:
        """Save the reply as a fixture; one that is there already stays as it is."""
        if self._store is None or self._store.stamp(call.digest) is not None:
            return
        try:
            document, said = fixture_of(
                call.payload,
                call.digest,
                content_type,
                body,
                source="recorded",
                store_request=True,
            )
            data = document.text.encode("utf-8", "backslashreplace")
            self._store.save(call.digest, data, expected=None)
        except FixtureChangedError:  # another process has kept its own meanwhile
            return
        except (OSError, ValueError) as error:
            raise UpstreamError(f"the reply could not be kept: {error}") from None
        if said:
            _logger.warning("kept fixture %s %s", call.digest, said)
