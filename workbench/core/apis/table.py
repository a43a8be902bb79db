"""The table of the APIs that fixtures answer, and how a request finds its own.

To add an API, write a package like ``core.apis.chat`` and add the class of its requests here: the
routes of the server and of the mocks, the reader of logs and ``workbench import`` take their paths
from this table. It is loaded by whoever reads a log, so it does not load what writes replies.
"""

from __future__ import annotations

from typing import Final

from workbench.core.apis.chat.request import ChatRequest
from workbench.core.requests.view import Payload, RequestView

REQUESTS: Final[dict[str, type[RequestView]]] = {ChatRequest.path: ChatRequest}
"""By the path after the base URL."""
EMBEDDINGS: Final = "/embeddings"
"""The path of embeddings, which need no fixtures."""


def is_answered(path: str) -> bool:
    """Whether a URL's path, which may begin with the path of a base URL, is that of an API."""
    return path.endswith(tuple(REQUESTS))


def view(payload: Payload) -> RequestView:
    """A request as it was received, logged or stored, as a view."""
    return ChatRequest(payload)
