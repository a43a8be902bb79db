"""The real model behind a mock: requests are passed on, and replies kept as fixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from workbench.core import collapse, requests
from workbench.core.fixtures import new_document
from workbench.core.requests import Payload
from workbench.core.wire import Frame, HTTPReply
from workbench.io.store import FixtureStore
from workbench.testing.calls import Call
from workbench.testing.errors import MockLLMError
from workbench.testing.replies import Reply

_SECONDS: Final = 300.0
# Of a request these are between the client and us.
_OURS: Final = frozenset(
    {"host", "content-length", "connection", "accept-encoding", "transfer-encoding"}
)


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
            UpstreamError: there was none.
        """
        import httpx

        sent = {name: value for name, value in headers.items() if name not in _OURS}
        try:
            got = httpx.post(self._url, json=call.payload, headers=sent, timeout=_SECONDS)
        except httpx.HTTPError as error:
            raise UpstreamError(f"{self._url} did not answer: {error}") from None
        content_type = got.headers.get("content-type", "")
        call.source = "live"
        try:
            call.reply = Reply(collapse.collapse(content_type, got.content))
        except collapse.NotAReplyError as error:
            call.reply = Reply({"error": {"status": got.status_code, "message": str(error)}})
        else:
            self._keep(call, call.reply, call.payload)
        return HTTPReply(got.status_code, content_type, [Frame("body", got.content)])

    def _keep(self, call: Call, reply: Reply, payload: Payload) -> None:
        """Save the reply as a fixture; one that is there already stays as it is."""
        if self._store is None or self._store.stamp(call.digest) is not None:
            return
        document = new_document(
            call.digest,
            reply.response,
            description=requests.last_user_text(payload)[:80],
            request=payload,
            source="recorded",
        )
        try:
            data = document.text.encode("utf-8", "backslashreplace")
            self._store.save(call.digest, data, expected=None)
        except (OSError, ValueError) as error:
            raise UpstreamError(f"the reply could not be kept: {error}") from None
