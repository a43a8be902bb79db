"""The Responses API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.core.apis import api
from workbench.core.apis.chat import CLIENT
from workbench.core.apis.responses import request

if TYPE_CHECKING:
    from workbench.core.apis.replies import Replies


def _replies() -> Replies:
    from workbench.core.apis.replies import Replies
    from workbench.core.apis.responses import earlier, read, write

    return Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer_for=lambda _: write.WRITER,
        references=earlier.REFERENCES,
    )


API: Final = api.API(request, CLIENT, _replies)
