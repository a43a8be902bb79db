"""A small client of the chat completions API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.apis import sse
from workbench.io import http_client

Message = dict[str, Any]


class ChatError(Exception):
    """A request that got no usable answer; the text says why, for a person.

    Attributes:
        unreachable: the server could not be reached at all, so that the next try will fail as well.
    """

    def __init__(self, message: str, *, unreachable: bool = False) -> None:
        super().__init__(message)
        self.unreachable = unreachable


@dataclass(frozen=True, slots=True)
class Received:
    """A reply as it came over the wire."""

    status: int
    content_type: str
    body: bytes


class ChatClient:
    """Asks one server, each time over a connection of its own.

    Args:
        base_url: of the server, with or without the ``/v1`` that clients of the API want.
        timeout: for connecting, and for each wait for data, in seconds.
    """

    def __init__(self, base_url: str, *, timeout: float = 30.0) -> None:
        self._where = http_client.host_and_port(base_url)
        self._url = f"{base_url.rstrip('/').removesuffix('/v1')}/v1/chat/completions"
        self._timeout = timeout

    def ask(self, payload: Mapping[str, Any]) -> Message:
        """The assistant's message that answers ``payload``, a streamed one put together.

        Raises:
            ChatError: there is none.
        """
        body = self.send(payload).body
        try:
            if payload.get("stream"):
                return _joined(body)
            message = json.loads(body)["choices"][0]["message"]
        except (ValueError, LookupError, TypeError) as error:
            raise ChatError(f"{self._where} sent what is no chat completion: {error}") from None
        return message  # type: ignore[no-any-return]

    def send(self, payload: Mapping[str, Any]) -> Received:
        """The reply to ``payload``.

        Raises:
            ChatError: the server is not reached, or answers with an error.
        """
        import httpx

        headers = {"Authorization": "Bearer sample"}
        try:
            with http_client.client(self._timeout) as asking:
                response = asking.post(self._url, json=payload, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = http_client.reason(error)
            raise ChatError(f"{self._where} does not answer: {why}", unreachable=True) from None
        if response.status_code != httpx.codes.OK:
            status = f"{response.status_code} {response.reason_phrase}"
            raise ChatError(f"{self._where} answers {status}")
        content_type = response.headers.get("Content-Type", "")
        return Received(response.status_code, content_type, response.content)


def _joined(stream: bytes) -> Message:
    """The message that a stream of text spells. Sample agents offer no tools when they stream."""
    chunks = [json.loads(event.data) for event in sse.events(stream) if event.data != "[DONE]"]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    return {"role": "assistant", "content": "".join(d.get("content") or "" for d in deltas)}
