"""A small client of the chat completions API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from workbench.core.apis import sse
from workbench.core.apis.chat.request import ROUTES
from workbench.io import http_client

if TYPE_CHECKING:
    import httpx

Message = dict[str, Any]

# To connect, and for each wait for data.
_SECONDS: Final = 30.0


class ChatError(Exception):
    """A request without a usable answer; the text says why.

    Attributes:
        unreachable: the server could not be reached, so that the next try will fail, too.
    """

    def __init__(self, message: str, *, unreachable: bool = False) -> None:
        super().__init__(message)
        self.unreachable = unreachable


class ChatClient:
    """Sends requests to one server, each over a connection of its own.

    Args:
        base_url: of the server, with or without ``/v1``.
    """

    def __init__(self, base_url: str) -> None:
        self._where = http_client.host_and_port(base_url)
        self._url = f"{base_url.rstrip('/').removesuffix('/v1')}{ROUTES[0]}"

    def ask(self, payload: Mapping[str, Any]) -> Message:
        """The assistant's message that answers ``payload``, streamed or not. Raises ChatError."""
        body = self.send(payload).content
        try:
            if payload.get("stream"):
                return _joined(body)
            message: Message = json.loads(body)["choices"][0]["message"]
        except (ValueError, LookupError, TypeError) as error:
            raise ChatError(f"{self._where} sent an invalid chat completion: {error}") from None
        return message

    def send(self, payload: Mapping[str, Any]) -> httpx.Response:
        """The response to ``payload``.

        Raises:
            ChatError: the server cannot be reached, or answers with an error.
        """
        import httpx

        headers = {"Authorization": "Bearer sample"}
        try:
            with http_client.client(_SECONDS) as client:
                response = client.post(self._url, json=payload, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = http_client.reason(error)
            raise ChatError(f"{self._where} does not answer: {why}", unreachable=True) from None
        if response.status_code != httpx.codes.OK:
            status = f"{response.status_code} {response.reason_phrase}"
            raise ChatError(f"{self._where} answers {status}")
        return response


def _joined(stream: bytes) -> Message:
    """The message in a stream of text. Sample agents offer no tools when they stream."""
    chunks = [json.loads(event.data) for event in sse.events(stream) if event.data != "[DONE]"]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    return {"role": "assistant", "content": "".join(d.get("content") or "" for d in deltas)}
