"""The error for a request that the server does not speak, as the API that it asks writes errors."""

from __future__ import annotations

from workbench.core.apis import unsupported
from workbench.core.apis.chat.stub import error_body, json_body
from workbench.core.apis.unsupported import ErrorShape, UnsupportedRequest
from workbench.core.replies.http_reply import ENVELOPE_TYPE, Frame, HTTPReply


def unsupported_reply(request: UnsupportedRequest) -> HTTPReply:
    """What is sent for it."""
    body = _body(unsupported.endpoint(request.path).shape, request.message)
    return HTTPReply(unsupported.STATUS, ENVELOPE_TYPE, [Frame("body", body)])


def _body(shape: ErrorShape, message: str) -> bytes:
    match shape:
        case "openai":
            return error_body(message, code=unsupported.CODE)
        case "anthropic":
            error = {"type": "invalid_request_error", "message": message}
            return json_body({"type": "error", "error": error, "request_id": None})
        case "gemini":
            status = "INVALID_ARGUMENT"
            return json_body(
                {"error": {"code": unsupported.STATUS, "message": message, "status": status}}
            )
