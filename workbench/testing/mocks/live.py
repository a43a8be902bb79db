"""The real model that a mock passes requests on to; its replies may be kept as fixtures."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from urllib.parse import urlsplit

from workbench.core.apis import writers
from workbench.core.apis.table import target
from workbench.core.credentials import Credentials, of_request
from workbench.core.fixtures.recorded import fixture_of
from workbench.core.packing import PackingError, Unpacker
from workbench.core.replies.http_reply import Frame, HTTPReply
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.view import Payload
from workbench.io.store import FixtureChangedError, FixtureStore
from workbench.io.upstream_url import api_url, with_query
from workbench.testing.mocks.calls import Call
from workbench.testing.mocks.errors import MockLLMError
from workbench.testing.mocks.replies import Reply

_logger = logging.getLogger("workbench.testing")


class UpstreamFailedError(MockLLMError):
    """The real model could not be asked, or its reply could not be kept."""

    code = "upstream_failed"


class LiveModel:
    """The API at ``base_url``.

    Args:
        store: keeps the replies as fixtures, if given.
    """

    def __init__(self, base_url: str, store: FixtureStore | None = None) -> None:
        self._base_url = base_url
        self._store = store

    def forward(self, call: Call, headers: Mapping[str, str], query: str = "") -> HTTPReply:
        """Ask for the reply to a call, with the client's own headers and query. Keys in them are
        sent, never kept.

        Raises:
            UpstreamFailedError: there was no reply, or it could not be kept.
        """
        path, _, body = target(call.payload)
        url = with_query(api_url(self._base_url, path), query)
        credentials = Credentials(of_request(headers.items(), urlsplit(url).query))
        try:
            status, content_type, received = _asked(url, body, headers)
        except UpstreamFailedError as error:
            said = credentials.masked(str(error))
            raise UpstreamFailedError(f"{url.partition('?')[0]} {said}") from None
        call.source = "live"
        is_repeated = credentials.are_in_reply(content_type, received)
        call.is_secret = is_repeated or credentials.are_in(json.dumps(call.payload))
        try:
            api = writers.of(call.payload)
            call.reply = Reply(api.read_reply(content_type, received))
        except NotAReplyError as error:
            call.reply = Reply({"error": {"status": status, "message": str(error)}})
        else:
            self._keep(call, content_type, received, credentials)
        return HTTPReply(status, content_type, [Frame("body", received)])

    def _keep(self, call: Call, content_type: str, body: bytes, credentials: Credentials) -> None:
        """Save the reply as a fixture, unless there is one already."""
        if self._store is None or self._store.stamp(call.digest) is not None:
            return
        if credentials.are_in_reply(content_type, body):
            raise _not_kept("the reply holds the key that was sent")
        try:
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
        except FixtureChangedError:  # another process has kept its own
            return
        except (OSError, ValueError) as error:
            raise _not_kept(str(error)) from None
        if said:
            _logger.warning("kept fixture %s %s", call.digest, said)


def _not_kept(why: str) -> UpstreamFailedError:
    return UpstreamFailedError(f"the reply could not be kept: {why}")


def _asked(url: str, payload: Payload, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
    """Status, content type and body of the reply. Raises UpstreamFailedError; its text is the rest
    of a sentence that begins with the URL.
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
        raise UpstreamFailedError(f"did not answer: its reply {error}") from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise UpstreamFailedError(f"did not answer: {error}") from None
    return got.status_code, got.headers.get("content-type", ""), body
