"""The chat completions API."""

from __future__ import annotations

from typing import Final

from workbench.core.apis import api
from workbench.core.apis.chat import request


def _replies() -> api.Replies:
    from workbench.core.apis.chat import read, write

    return api.Replies(read.read, read.ends_stream, read.FINISH_REASONS, write.writer)


API: Final = api.API(request, _replies)
