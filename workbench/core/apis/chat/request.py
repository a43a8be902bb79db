"""How requests of the chat completions API are received: they need no translation."""

from __future__ import annotations

import re
from typing import Final

from workbench.core.apis.api import GET, POST, PlainPath, UnsupportedPath
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.requests.view import Payload, RequestView

NAME: Final = "chat"
ROUTE: Final = "/v1/chat/completions"
DEMANDS: Final = frozenset(
    {*("model", "tools", "functions", "tool_choice", "response_format"), "stream"}
)
TOKEN_COUNT: Final = None
EMBEDDINGS: Final = "/v1/embeddings"
MODERATIONS: Final = "/v1/moderations"
PLAIN_PATHS: Final = (
    PlainPath("embeddings", re.compile(r"/embeddings$"), POST),
    PlainPath("moderations", re.compile(r"/moderations$"), POST),
    PlainPath("models", re.compile(r"/models$"), GET),
    PlainPath("model", re.compile(r"/models/(?P<name>.+)$", re.DOTALL), GET),
    # The client of Cerebras requests this path when it is created.
    PlainPath("nothing", re.compile(r"/tcp_warming$"), GET),
)
UNSUPPORTED_PATHS: Final[tuple[UnsupportedPath, ...]] = ()
# Azure's name for a model.
_DEPLOYMENT: Final = re.compile(r"/deployments/([^/]+)/[^:]*$")


def received(body: Payload, path: re.Match[str], query: str) -> Payload:  # noqa: ARG001
    return with_model(body, path.string)


def with_model(body: Payload, path: str) -> Payload:
    """``body`` with the model that the path of its URL names, if it names none itself."""
    deployment = _DEPLOYMENT.search(path)
    return {**body, "model": deployment[1]} if deployment and not body.get("model") else body


def target(payload: Payload) -> tuple[str, Payload]:
    return ROUTE, payload


def as_chat(payload: Payload) -> Payload:
    return payload


def unsupported(payload: Payload) -> str | None:
    """Why no fixture can answer the request, in words that follow its path and a colon."""
    modalities = payload.get("modalities")
    if isinstance(modalities, list) and any(modality != "text" for modality in modalities):
        return "this server does not support modalities other than text"
    return None


def ignored(request: RequestView) -> list[IgnoredOption]:
    """The options that replies may not honour."""
    options: list[IgnoredOption] = []
    if request.stream and request.include_usage:
        options.append("include_usage")
    if request.payload.get("logprobs"):
        options.append("logprobs")
    return options
