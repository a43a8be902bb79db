"""The upstream: the real model API that a recording server forwards requests to."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

import httpx

from workbench.core.apis.client_settings import PLACEHOLDER_KEY, SIGNATURE, ClientSettings
from workbench.core.apis.paths import target
from workbench.core.apis.table import APIS, api_of
from workbench.core.replies.content_encoding import PackingError, Unpacker
from workbench.core.requests.view import Payload
from workbench.core.secrets.heads import of_request
from workbench.io.network.http_client import reason, upstream_client
from workbench.io.network.upstream_url import (
    KEY_VARIABLE,
    api_url,
    host_of,
    with_query,
    without_parameter,
)

# The headers in which clients send their keys; the key of the upstream replaces them.
KEY_HEADERS: Final = frozenset(name.lower() for api in APIS for name in api.client.key_headers)

# The statuses with which APIs refuse a request that has no key.
_MAY_LACK_KEY: Final = (400, 401, 403)
_OWN_PREFIXES: Final = ("x-workbench-", "x-mock-llm-")
# Hop-by-hop headers, and headers that are set for the new connection.
_NOT_PASSED_ON: Final = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "cookie",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "origin",
        "proxy-authorization",
        "referer",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
# The headers of a reply that clients get. httpx reads control characters in them; uvicorn does not
# send them.
_RELAYED: Final = ("content-type", "retry-after")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class UpstreamError(Exception):
    """The upstream could not be reached, or its reply was incomplete. The message contains no
    credentials.
    """


class Arriving(NamedTuple):
    """A reply whose status and headers have arrived.

    Attributes:
        status: 200 to 299, or 400 to 599.
        parts: its body, as it arrives and without an encoding. Raises UpstreamError if the
            connection is lost.
    """

    status: int
    content_type: str
    retry_after: str
    parts: AsyncIterator[bytes]


class Upstream:
    """A client for one upstream.

    Args:
        base_url: as clients are given it: ``https://api.openai.com/v1``. Its query, if it has one,
            is sent with each request.
        key: sent in place of what the clients send, if it is given.

    Raises:
        ValueError: ``base_url`` is not an HTTP URL, ``key`` has characters that a header cannot
            hold, or the environment names a proxy that cannot be used.
    """

    def __init__(self, base_url: str, key: str = "") -> None:
        self.name = host_of(base_url)
        if not (key.isascii() and key.isprintable()):
            raise ValueError(f"{KEY_VARIABLE} contains characters that a key cannot have")
        try:
            httpx.URL(base_url)
        except httpx.InvalidURL as error:
            raise ValueError(f"{self.name}: {error}") from None
        self._base_url = base_url
        self._key = key
        self._client = upstream_client()

    @classmethod
    def from_environment(cls, base_url: str) -> Upstream:
        """With the key of ``WORKBENCH_UPSTREAM_KEY``, if there is one. Raises ValueError."""
        return cls(base_url, os.environ.get(KEY_VARIABLE, "").strip())

    @property
    def secrets(self) -> list[str]:
        """The key, and the credentials in the base URL, which must not reach a disk."""
        return [self._key, *of_request((), urlsplit(self._base_url).query)]

    def sends_key(self, headers: Mapping[str, str], query: str) -> bool:
        """True if a request is forwarded with a key: ours, or one of the client's other than the
        placeholder of ``workbench run``.
        """
        values = [value for name, value in headers.items() if name.lower() in KEY_HEADERS]
        keys = [value.rpartition(" ")[2] for value in values if not value.startswith(SIGNATURE)]
        parameters = parse_qs(urlsplit(with_query(self._base_url, query)).query)
        keys += [key for api in APIS for key in parameters.get(api.client.key_parameter, ())]
        return bool(self._key) or any(key != PLACEHOLDER_KEY for key in keys if key)

    def about_key(self, status: int, headers: Mapping[str, str], query: str) -> str:
        """The end of a sentence on a refusal: that no key was sent, if that may be why."""
        if status not in _MAY_LACK_KEY or self.sends_key(headers, query):
            return ""
        return f", and no key was sent to it; set {KEY_VARIABLE}"

    @asynccontextmanager
    async def ask(
        self, payload: Payload, body: bytes, headers: Mapping[str, str], query: str = ""
    ) -> AsyncIterator[Arriving]:
        """Forward a request; the reply is open within the context.

        Args:
            payload: the request as received, which determines the API.
            body: its body.
            headers: the client's headers; connection headers are left out.
            query: the client's query, added to the one in the base URL.

        Raises:
            UpstreamError: it cannot be reached, or the response is not valid.
        """
        path, _, _ = target(payload)
        client = api_of(payload).client
        if self._key:
            query = without_parameter(query, client.key_parameter)
        url = with_query(api_url(self._base_url, path), query)
        passed_on = self._passed_on(headers, client)
        request = self._client.build_request("POST", url, content=body, headers=passed_on)
        try:
            reply = await self._client.send(request, stream=True)
        except httpx.HTTPError as error:
            raise UpstreamError(f"{self.name}: {reason(error)}") from None
        reply.headers.encoding = "latin-1"
        try:
            unpacker = self._checked(reply)
            yield Arriving(
                reply.status_code,
                reply.headers.get("content-type", ""),
                reply.headers.get("retry-after", ""),
                self._parts(reply, unpacker),
            )
        finally:
            await reply.aclose()

    async def close(self) -> None:
        await self._client.aclose()

    def _checked(self, reply: httpx.Response) -> Unpacker:
        """The decoder for the body. Raises UpstreamError for a status, a header or an encoding that
        clients cannot use.
        """
        status = reply.status_code
        if not (200 <= status <= 299 or 400 <= status <= 599):
            redirects = ", a redirect, which is not followed" if status >= 300 else ""
            raise UpstreamError(f"{self.name}: it answers with status {status}{redirects}")
        for name in _RELAYED:
            if _CONTROL.search(reply.headers.get(name, "")):
                raise UpstreamError(f"{self.name}: its header {name} has control characters")
        try:
            return Unpacker(reply.headers.get("content-encoding", ""))
        except PackingError as error:
            raise UpstreamError(f"{self.name}: its reply {error}") from None

    async def _parts(self, reply: httpx.Response, unpacker: Unpacker) -> AsyncIterator[bytes]:
        try:
            async for data in reply.aiter_raw():
                for part in unpacker.pieces(data):
                    yield part
            unpacker.end()
        except PackingError as error:
            raise UpstreamError(f"{self.name}: its reply {error}") from None
        except httpx.HTTPError as error:
            raise UpstreamError(f"{self.name}: {reason(error)}") from None

    def _passed_on(self, headers: Mapping[str, str], client: ClientSettings) -> dict[bytes, bytes]:
        """The client's headers, without connection headers and ours."""
        left_out = _NOT_PASSED_ON | KEY_HEADERS if self._key else _NOT_PASSED_ON
        sent = {name.lower() for name in headers}
        kept = {
            name: value
            for name, value in headers.items()
            if name.lower() not in left_out and not name.lower().startswith(_OWN_PREFIXES)
        }
        kept["accept-encoding"] = "identity"  # the body is recorded and forwarded as it is
        if self._key:
            own = client.key_headers
            used = [name for name in own if name.lower() in sent] or [client.key_header]
            kept |= {name: f"{own[name]}{self._key}" for name in used}
        return {name.encode("latin-1"): value.encode("latin-1") for name, value in kept.items()}
