"""Ollama's chat and generate."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.core.apis import api
from workbench.core.apis.client_settings import ClientSettings, ClientVariable

if TYPE_CHECKING:
    from workbench.core.apis.replies import Replies

PATH: Final = re.compile(r"/api/(?P<endpoint>chat|generate)$")

CLIENT: Final = ClientSettings(
    "OLLAMA_HOST",
    "",
    "OLLAMA_API_KEY",
    "Authorization",
    "Bearer ",
    clients="ollama, langchain-ollama",
    base_urls=(
        ClientVariable("OLLAMA_API_BASE", "", "litellm with `ollama/` and `ollama_chat/`"),
        ClientVariable("OLLAMA_API_URL", "", "aisuite"),
        # The last uses chat completions; @langchain/ollama appends /api/chat to any path.
        ClientVariable("OLLAMA_BASE_URL", "/v1", "@langchain/ollama for JavaScript, pydantic-ai"),
    ),
)


def _request() -> api.RequestModule:
    from workbench.core.apis.ollama import request

    return request


def _replies() -> Replies:
    from workbench.core.apis.framing import NDJSON
    from workbench.core.apis.ollama import embeddings, read, write
    from workbench.core.apis.replies import Replies

    return Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer_for=write.writer_for,
        limits=write.LIMITS,
        models=write.MODELS,
        framings=(NDJSON,),
        embeddings=embeddings.reply,
        version=write.VERSION,
    )


API: Final = api.API("ollama", PATH, CLIENT, _request, _replies)
