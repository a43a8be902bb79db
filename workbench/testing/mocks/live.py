"""The real model behind a mock: requests are passed on, and replies kept as fixtures."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from urllib.parse import urlsplit

from workbench.core.apis.chat import collapse
from workbench.core.apis.chat.request import Payload
from workbench.core.apis.chat.wire import Frame, HTTPReply
from workbench.core.credentials import Credentials, of_request
from workbench.core.fixtures.recorded import SecretError, fixture_of
from workbench.core.packing import PackingError, Unpacker
from workbench.io.store import FixtureChangedError, FixtureStore
from workbench.io.upstream_url import api_url, with_query
from workbench.testing.mocks.calls import Call
from workbench.testing.mocks.errors import MockLLMError
from workbench.testing.mocks.replies import Reply

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
        self._url = api_url(base_url, "chat/completions")
        self._shown_url = self._url.partition("?")[0]
        self._store = store

    def forward(self, call: Call, headers: Mapping[str, str], query: str = "") -> HTTPReply:
        """Ask for the reply to a call, with the client's own headers and query; keys are sent,
        never kept.

        Raises:
            UpstreamError: there was none, or it could not be kept.
        """
        url = with_query(self._url, query)
        credentials = Credentials(of_request(headers.items(), urlsplit(url).query))
        try:
            status, content_type, body = _asked(url, call.payload, headers)
        except UpstreamError as error:
            said = credentials.masked(str(error))
            raise UpstreamError(f"{self._shown_url} {said}") from None
        call.source = "live"
        is_told = credentials.are_in_reply(content_type, body)
        call.is_secret = is_told or credentials.are_in(json.dumps(call.payload))
        try:
            call.reply = Reply(collapse.collapse(content_type, body))
        except collapse.NotAReplyError as error:
            call.reply = Reply({"error": {"status": status, "message": str(error)}})
        else:
            self._keep(call, content_type, body, credentials)
        return HTTPReply(status, content_type, [Frame("body", body)])

    def _keep(self, call: Call, content_type: str, body: bytes, credentials: Credentials) -> None:
        """Save the reply as a fixture; one that is there already stays as it is."""
        if self._store is None or self._store.stamp(call.digest) is not None:
            return
        try:
            if credentials.are_in_reply(content_type, body):
                raise SecretError("the reply holds the key that was sent")
            document, said = fixture_of(
                call.payload,
                call.digest,
                content_type,
                body,
                source="recorded",
                store_request=True,
                credentials=credentials,
            )
            data = document.text.encode("utf-8", "backslashreplace")
            self._store.save(call.digest, data, expected=None)
        except FixtureChangedError:  # another process has kept its own meanwhile
            return
        except (OSError, ValueError) as error:
            raise UpstreamError(f"the reply could not be kept: {error}") from None
        if said:
            _logger.warning("kept fixture %s %s", call.digest, said)


def _asked(url: str, payload: Payload, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
    """Status, content type and body of the reply. Raises UpstreamError; its text goes on behind the
    URL.
    """
    import httpx

    from workbench.io.http_client import upstream_client
    from workbench.io.upstream import passed_on

    sent = {**passed_on(headers), "accept-encoding": "identity"}
    try:
        with (
            upstream_client() as asking,
            asking.stream("POST", url, json=payload, headers=sent) as got,
        ):
            unpacker = Unpacker(got.headers.get("content-encoding", ""))
            body = b"".join(part for data in got.iter_raw() for part in unpacker.pieces(data))
            unpacker.end()
    except PackingError as error:
        raise UpstreamError(f"did not answer: its reply {error}") from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise UpstreamError(f"did not answer: {error}") from None
    return got.status_code, got.headers.get("content-type", ""), body
