"""Amazon Bedrock, whatever body a model takes: its errors, and its headers."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from workbench.core.apis import eventstream
from workbench.core.json.values import compact_bytes
from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import Frame, Headers
from workbench.core.replies.response import ErrorReply

ERROR_TYPES: Final = {
    400: "ValidationException",
    401: "UnrecognizedClientException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}
# Others that a fixture may give as the type of its error.
_OTHER_TYPES: Final = ("ModelNotReadyException", "ServiceQuotaExceededException")
# By the type of an error, its name in a stream, which has fewer.
_EXCEPTIONS: Final = {
    "ValidationException": "validationException",
    "ModelErrorException": "modelStreamErrorException",
    "ThrottlingException": "throttlingException",
    "ServiceUnavailableException": "serviceUnavailableException",
}


def error(reply: ErrorReply) -> bytes:
    """The body of an error; its type is in a header."""
    return compact_bytes({"message": reply.message})


def error_type(reply: ErrorReply) -> str:
    """The type of an error: the given one if AWS has it, else the type for its status."""
    if reply.type in {*ERROR_TYPES.values(), *_OTHER_TYPES}:
        return reply.type
    return ERROR_TYPES.get(reply.status, ERROR_TYPES[500 if reply.status >= 500 else 400])


def error_headers(reply: ErrorReply) -> Headers:
    """The type of an error, without which clients show no text of it."""
    return (("x-amzn-errortype", error_type(reply)),)


def late_error(reply: ErrorReply, answer: Answer) -> list[Frame]:  # noqa: ARG001
    """An error in a stream whose status was sent already."""
    kind = _EXCEPTIONS.get(error_type(reply), "internalServerException")
    return [Frame("error", eventstream.exception(kind, error(reply)))]


def headers(answer: Answer) -> Headers:
    """The id by which clients name a request."""
    digest, ends = answer.digest, (0, 8, 12, 16, 20, 32)
    parts = [digest[start:end] for start, end in pairwise(ends)]
    return (("x-amzn-RequestId", "-".join(parts)),)
