"""The Responses API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.core.apis import api
from workbench.core.apis.chat import CLIENT

if TYPE_CHECKING:
    from workbench.core.apis.replies import Replies

PATH: Final = re.compile(r"/responses$")


def _request() -> api.RequestModule:
    from workbench.core.apis.responses import request

    return request


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


API: Final = api.API("responses", PATH, CLIENT, _request, _replies)
