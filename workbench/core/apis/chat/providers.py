"""Providers that have the paths of OpenAI's chat completions, and whose clients read some of their
replies in another way. Each is known by its part of a path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from workbench.core.apis.chat.write_openai import OPENAI, frames
from workbench.core.apis.openai_errors import error_kind
from workbench.core.json.values import indented
from workbench.core.replies.http_reply import Writer
from workbench.core.replies.response import ErrorReply


def _openrouter(writer: Writer) -> Writer:
    return writer._replace(error=_openrouter_error)


def _openrouter_error(reply: ErrorReply) -> bytes:
    """The body of an error. The client of OpenRouter takes no code but the status."""
    kind, code = error_kind(reply)
    error: dict[str, Any] = {
        "code": reply.status,
        "message": reply.message,
        "metadata": {"error_type": code or kind},
    }
    return indented({"error": error})


def _with_whole_calls(writer: Writer) -> Writer:
    """The clients of Cerebras and Mistral read no pieces of a call."""
    return _WHOLE_CALLS if writer is OPENAI else writer


_WHOLE_CALLS: Final = OPENAI._replace(frames=partial(frames, whole_calls=True))

PROVIDERS: Final[Mapping[re.Pattern[str], Callable[[Writer], Writer]]] = {
    re.compile(r"/api/v1/"): _openrouter,
    re.compile(r"/(?:cerebras|mistral)/v1/"): _with_whole_calls,
}
