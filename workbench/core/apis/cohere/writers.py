"""Chooses what writes a reply of Cohere's chat."""

from __future__ import annotations

from workbench.core.apis.cohere import write, write_v1
from workbench.core.apis.cohere.request import is_version_1
from workbench.core.apis.replies import Circumstances
from workbench.core.replies.http_reply import Writer


def writer_for(circumstances: Circumstances) -> Writer:
    """What writes a reply: of version 1 another one, and for litellm, which accepts JSON and no
    events, streams are lines.
    """
    request = circumstances.request
    if request is not None and is_version_1(request.payload):
        return write_v1.WRITER
    return write.LINES if circumstances.accept == "application/json" else write.WRITER
