"""The Messages API of Anthropic."""

from __future__ import annotations

from typing import Final

from workbench.core.apis import api
from workbench.core.apis.messages import request


def _replies() -> api.Replies:
    from workbench.core.apis.messages import earlier, read, write

    return api.Replies(
        read.read,
        read.ends_stream,
        read.FINISH_REASONS,
        write.writer,
        write.LIMITS,
        references=earlier.REFERENCES,
    )


API: Final = api.API(request, _replies)
