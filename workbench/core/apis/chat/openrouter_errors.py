"""Errors of OpenRouter, whose chat completions are those of OpenAI."""

from __future__ import annotations

from typing import Any

from workbench.core.apis.openai_errors import error_kind
from workbench.core.json.values import indented
from workbench.core.replies.response import ErrorReply


def openrouter_error(reply: ErrorReply) -> bytes:
    """The body of an error. Its client takes no code but the status."""
    kind, code = error_kind(reply)
    error: dict[str, Any] = {
        "code": reply.status,
        "message": reply.message,
        "metadata": {"error_type": code or kind},
    }
    return indented({"error": error})
