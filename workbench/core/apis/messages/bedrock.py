"""Writes an answer as Bedrock does for Anthropic's models: the message, or each event of its stream
in a message of an event stream.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from workbench.core.apis import aws, eventstream, sse
from workbench.core.apis.messages import write
from workbench.core.apis.messages.request import BEDROCK, PLATFORM
from workbench.core.apis.replies import Circumstances
from workbench.core.json.values import encoded
from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import Frame, Headers, Writer


def _frames(answer: Answer, created: int) -> Iterator[Frame]:
    """The frames of a streamed reply."""
    for frame in write.frames(answer, created):
        yield frame._replace(data=_chunk(frame.data))


def _chunk(event: bytes) -> bytes:
    """A server-sent event as a message."""
    return eventstream.chunk(encoded(next(sse.texts(event))))


def _headers(answer: Answer) -> Headers:
    counts = {"input": answer.prompt_tokens, "output": answer.completion_tokens}
    return (
        *aws.headers(answer),
        *((f"x-amzn-bedrock-{kind}-token-count", str(count)) for kind, count in counts.items()),
    )


_ON_BEDROCK: Final = write.WRITER._replace(
    writes_as="Amazon Bedrock",
    frames=_frames,
    error=aws.error,
    error_headers=aws.error_headers,
    late_error=aws.late_error,
    stream_type=eventstream.CONTENT_TYPE,
    headers=_headers,
    waiting=_chunk(write.PING),
)

_PATH: Final = re.compile(r"/model/.+/invoke")


def writer_for(circumstances: Circumstances) -> Writer:
    """The writer of a reply. Errors may have no request, and previews have no path."""
    request = circumstances.request
    is_on_bedrock = request is not None and request.payload.get(PLATFORM) == BEDROCK
    return _ON_BEDROCK if is_on_bedrock or _PATH.search(circumstances.path) else write.WRITER
