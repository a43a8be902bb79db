"""Cohere's chat."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.core.apis import api
from workbench.core.apis.client_settings import PLACEHOLDER_KEY, ClientSettings, ClientVariable

if TYPE_CHECKING:
    from workbench.core.apis.replies import Replies

PATH: Final = re.compile(r"/v(?P<version>[12])/chat$")

CLIENT: Final = ClientSettings(
    "CO_API_URL",
    "",
    "CO_API_KEY",
    "Authorization",
    "Bearer ",
    clients="cohere",
    base_urls=(
        ClientVariable("CO_BASE_URL", "", "pydantic-ai"),
        ClientVariable("COHERE_API_BASE", "/v2/chat", "litellm with `cohere_chat/`"),
        ClientVariable("COHERE_BASE_URL", "", "any-llm"),
    ),
    user_agent="cohere",
    hosts=("api.cohere.com", "api.cohere.ai"),
    placeholders=(
        ClientVariable(
            "COHERE_API_KEY",
            PLACEHOLDER_KEY,
            "langchain-cohere, litellm; AI SDK for JavaScript",
        ),
    ),
)


def _request() -> api.RequestModule:
    from workbench.core.apis.cohere import request

    return request


def _replies() -> Replies:
    from workbench.core.apis.cohere import embeddings, read, write, writers
    from workbench.core.apis.framing import NDJSON, SSE
    from workbench.core.apis.replies import Replies

    return Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=write.FINISH_REASONS,
        writer_for=writers.writer_for,
        limits=write.LIMITS,
        models=write.MODELS,
        embeddings=embeddings.reply,
        may_go_on=True,
        framings=(SSE, NDJSON),
    )


API: Final = api.API("cohere", PATH, CLIENT, _request, _replies)
