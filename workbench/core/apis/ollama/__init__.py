"""Ollama's chat and generate."""

from __future__ import annotations

from typing import Final

from workbench.core.apis import api
from workbench.core.apis.ollama import request
from workbench.core.apis.ollama.client_settings import CLIENT


def _replies() -> api.Replies:
    from workbench.core.apis.framing import NDJSON
    from workbench.core.apis.ollama import embeddings, models, read, write

    return api.Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer=write.writer,
        limits=write.LIMITS,
        models=models.MODELS,
        framings=(NDJSON,),
        embeddings=embeddings.reply,
        version=models.VERSION,
    )


API: Final = api.API(request, CLIENT, _replies)
