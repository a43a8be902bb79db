"""The chat completions API."""

from __future__ import annotations

from typing import Final

from workbench.core.apis import api
from workbench.core.apis.chat import request
from workbench.core.apis.chat.client_settings import CLIENT


def _replies() -> api.Replies:
    from workbench.core.apis import embeddings
    from workbench.core.apis.chat import providers, read, write

    return api.Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer=write.writer,
        providers=providers.PROVIDERS,
        embeddings=embeddings.reply,
    )


API: Final = api.API(request, CLIENT, _replies)
