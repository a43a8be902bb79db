"""Gemini's generateContent."""

from __future__ import annotations

from typing import Final

from workbench.core.apis import api
from workbench.core.apis.gemini import request


def _replies() -> api.Replies:
    from workbench.core.apis.gemini import read, write

    return api.Replies(
        read.read,
        read.ends_stream,
        read.FINISH_REASONS,
        write.writer,
        write.LIMITS,
        # Earlier models give a reason for the end in each chunk.
        may_go_on=True,
    )


API: Final = api.API(request, _replies)
