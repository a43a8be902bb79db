"""Convert a request of Ollama's chat or generate to the equivalent chat request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from workbench.core.apis.api import GET, POST, PlainPath, UnsupportedPath
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.json.values import mappings, string
from workbench.core.requests.view import Payload, RequestView

NAME: Final = "ollama"
ROUTE: Final = "/api/chat"
_GENERATE: Final = "/api/generate"
DEMANDS: Final = frozenset({"api", "endpoint", "model", "stream", "tools", "format"})
TOKEN_COUNT: Final = None
PLAIN_PATHS: Final = (
    PlainPath("embeddings", re.compile(r"/api/embed(?:dings)?$"), POST),
    PlainPath("models", re.compile(r"/api/(?:tags|ps)$"), GET),
    PlainPath("model", re.compile(r"/api/show$"), POST),
    PlainPath("version", re.compile(r"/api/version$"), GET),
)
_OTHERS: Final = "pull|push|create|copy|delete|blobs/[^/]+|web_search|web_fetch|systemone"
UNSUPPORTED_PATHS: Final = (
    UnsupportedPath(
        rf"/api/(?:{_OTHERS})$",
        "of the Ollama API, this server supports chat, generate, embed, tags, show, ps and version",
    ),
)
# Keys that are added from the URL; the body does not have them.
_OF_URL: Final = frozenset({"api", "endpoint"})


def received(body: Payload, path: re.Match[str], query: str) -> Payload:  # noqa: ARG001
    """The body with the data in the URL: chat or generate."""
    return {**_body(body), "api": NAME, "endpoint": path["endpoint"]}


def target(payload: Payload) -> tuple[str, Payload]:
    """The opposite of ``received``."""
    return _GENERATE if is_generate(payload) else ROUTE, _body(payload)


def _body(payload: Payload) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key not in _OF_URL}


def is_generate(payload: Payload) -> bool:
    """True if a request is for generate, which has a prompt instead of messages. This works without
    the URL as well.
    """
    endpoint = payload.get("endpoint")
    return endpoint == "generate" or (endpoint is None and "prompt" in payload)


def as_chat(payload: Payload) -> Payload:
    """The equivalent chat request. A value of a wrong type counts as absent."""
    # Most logs have no such request.
    from workbench.core.apis.ollama.messages import messages, of_prompt

    chat = {
        "model": string(payload.get("model")) or None,
        "messages": list(
            of_prompt(payload) if is_generate(payload) else messages(payload.get("messages"))
        ),
        "tools": mappings(payload.get("tools")) or None,
        "response_format": _response_format(payload.get("format")),
        # Replies are streamed unless the request turns this off.
        "stream": payload.get("stream") is not False or None,
    }
    return {key: value for key, value in chat.items() if value is not None}


def _response_format(value: object) -> dict[str, Any] | None:
    if isinstance(value, dict) and value:
        return {"type": "json_schema", "json_schema": {"name": "output", "schema": value}}
    return {"type": "json_object"} if value == "json" else None


def unsupported(payload: Payload) -> str | None:
    """Why no fixture can answer the request, in words that follow its path and a colon."""
    feature = next(_unsupported_features(payload), None)
    return f"this server does not support {feature}" if feature else None


def _unsupported_features(payload: Payload) -> Iterator[str]:
    if is_generate(payload):
        if payload.get("context"):
            yield "context, which contains an earlier conversation as numbers"
        if payload.get("suffix"):
            yield "suffix, which asks for the text between two others"


def ignored(request: RequestView) -> list[IgnoredOption]:
    """The options that replies may not honour."""
    return ["logprobs"] if request.payload.get("logprobs") else []
