"""Errors in the shape of OpenAI's APIs."""

from __future__ import annotations

from typing import Any, Final

from workbench.core.replies.response import ErrorReply

_INVALID: Final = "invalid_request_error"
# Type and code by status, as the APIs were seen to send them.
_KINDS: Final[dict[int, tuple[str, str | None]]] = {
    401: (_INVALID, "invalid_api_key"),
    403: ("request_forbidden", "unsupported_country_region_territory"),
    404: (_INVALID, "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
    503: ("service_unavailable_error", "server_is_overloaded"),
}
# The type of an error that is its code, too.
_QUOTA: Final = "insufficient_quota"


def openai_error(reply: ErrorReply) -> dict[str, Any]:
    """The body of an error."""
    kind, code = error_kind(reply)
    return {"error": {"message": reply.message, "type": kind, "param": reply.param, "code": code}}


def error_kind(reply: ErrorReply) -> tuple[str, str | None]:
    """The type and code of an error, by default those for its status."""
    if _QUOTA in (reply.type, reply.code):
        return reply.type or _QUOTA, reply.code or _QUOTA
    if reply.type:  # the code of the status may belong to another one
        return reply.type, reply.code
    others = "server_error" if reply.status >= 500 else _INVALID
    kind, code = _KINDS.get(reply.status, (others, None))
    return kind, reply.code or code
