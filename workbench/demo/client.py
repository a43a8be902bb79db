"""A small client of a model's APIs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from workbench.core.apis.table import api_of
from workbench.core.replies.response import NotAReplyError
from workbench.io.network import http_client

if TYPE_CHECKING:
    import httpx

Message = dict[str, Any]
"""A message of the assistant, as chat has it, whichever API was asked."""

# To connect, and for each wait for data.
_SECONDS: Final = 30.0


class ModelError(Exception):
    """A request without a usable answer; the message is the reason. With ``unreachable`` the next
    try fails as well.
    """

    def __init__(self, message: str, *, unreachable: bool = False) -> None:
        super().__init__(message)
        self.unreachable = unreachable


class ModelClient:
    """Sends requests to one server, each over a connection of its own. The base URL may end in
    ``/v1``.
    """

    def __init__(self, base_url: str) -> None:
        self._where = http_client.host_and_port(base_url)
        self._base_url = base_url.rstrip("/").removesuffix("/v1")

    def ask(self, payload: Mapping[str, Any]) -> Message:
        """The message that answers ``payload``, streamed or not.

        Args:
            payload: in the format of a stored request, with ``api`` for other APIs than chat.

        Raises:
            ModelError: as ``send``, and for a reply that cannot be read.
        """
        response = self.send(payload)
        content_type = response.headers.get("content-type", "")
        try:
            reply = api_of(payload).replies.read(content_type, response.content).response
        except NotAReplyError as error:
            raise ModelError(f"{self._where} sent an invalid reply: {error}") from None
        message = {"role": "assistant", "content": reply["content"]}
        return message | ({"tool_calls": reply["tool_calls"]} if "tool_calls" in reply else {})

    def send(self, payload: Mapping[str, Any]) -> httpx.Response:
        """The response to ``payload``.

        Raises:
            ModelError: the server cannot be reached, or answers with an error.
        """
        response = self.post(*api_of(payload).request.target(payload))
        if not response.is_success:
            status = f"{response.status_code} {response.reason_phrase}"
            raise ModelError(f"{self._where} answers {status}")
        return response

    def post(self, path: str, body: Mapping[str, Any]) -> httpx.Response:
        """The response to any request, which may be an error. Raises ModelError if the server
        cannot be reached.
        """
        import httpx

        headers = {"Authorization": "Bearer sample"}
        try:
            with http_client.client(_SECONDS) as client:
                return client.post(self._base_url + path, json=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = http_client.reason(error)
            raise ModelError(f"{self._where} does not answer: {why}", unreachable=True) from None
