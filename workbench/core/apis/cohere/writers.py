"""Chooses what writes a reply of Cohere's chat."""

from __future__ import annotations

from workbench.core.apis.cohere import write, write_v1
from workbench.core.apis.cohere.request import is_version_1
from workbench.core.apis.replies import Circumstances
from workbench.core.replies.http_reply import Writer


def writer_for(circumstances: Circumstances) -> Writer:
    """The writer of a reply. Version 1 has a different one, and litellm, which accepts only JSON,
    gets streams as lines.
    """
    request = circumstances.request
    if request is not None and is_version_1(request.payload):
        return write_v1.WRITER
    return write.LINES if circumstances.accept == "application/json" else write.WRITER
