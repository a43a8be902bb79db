"""The Responses API."""

from __future__ import annotations

from typing import Final

from workbench.core.apis import api
from workbench.core.apis.chat import CLIENT
from workbench.core.apis.responses import request


def _replies() -> api.Replies:
    from workbench.core.apis.responses import earlier, read, write

    return api.Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer_for=lambda _: write.WRITER,
        references=earlier.REFERENCES,
    )


API: Final = api.API(request, CLIENT, _replies)
