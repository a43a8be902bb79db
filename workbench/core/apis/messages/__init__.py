"""The Messages API of Anthropic."""

from __future__ import annotations

from typing import Final

from workbench.core.apis import api
from workbench.core.apis.messages import request
from workbench.core.apis.messages.client_settings import CLIENT


def _replies() -> api.Replies:
    from workbench.core.apis.framing import EVENTSTREAM, SSE
    from workbench.core.apis.messages import bedrock, earlier, models, read, write

    return api.Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer=bedrock.writer,
        limits=write.LIMITS,
        models=models.MODELS,
        references=earlier.REFERENCES,
        providers=bedrock.PROVIDERS,
        framings=(SSE, EVENTSTREAM),
    )


API: Final = api.API(request, CLIENT, _replies)
