"""Converse, the API of Amazon Bedrock for every model."""

from __future__ import annotations

from typing import Final

from workbench.core.apis import api
from workbench.core.apis.converse import request
from workbench.core.apis.converse.client_settings import CLIENT


def _replies() -> api.Replies:
    from workbench.core.apis.converse import read, write
    from workbench.core.apis.framing import EVENTSTREAM

    return api.Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer=write.writer,
        limits=write.LIMITS,
        framings=(EVENTSTREAM,),
    )


API: Final = api.API(request, CLIENT, _replies)
