"""Gemini's generateContent."""

from __future__ import annotations

from typing import Final

from workbench.core.apis import api
from workbench.core.apis.gemini import request
from workbench.core.apis.gemini.client_settings import CLIENT


def _replies() -> api.Replies:
    from workbench.core.apis.gemini import models, read, write

    return api.Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer=write.writer,
        limits=write.LIMITS,
        models=models.MODELS,
        # Earlier models give a reason for the end in each chunk.
        may_go_on=True,
    )


API: Final = api.API(request, CLIENT, _replies)
