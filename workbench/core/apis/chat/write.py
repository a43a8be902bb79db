"""Choose the writer of the chat completions API: one of two profiles, or a provider that has the
same paths and whose clients parse some replies differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from workbench.core.apis.chat.write_openai import OPENAI, envelope, frames
from workbench.core.apis.chat.write_stub import STUB
from workbench.core.apis.openai_errors import error_kind
from workbench.core.apis.replies import Circumstances
from workbench.core.json.values import indented
from workbench.core.replies.http_reply import Writer
from workbench.core.replies.profile_names import ProfileName
from workbench.core.replies.response import ErrorReply


def _openrouter_error(reply: ErrorReply) -> bytes:
    """The body of an error. The client of OpenRouter takes no code but the status."""
    kind, code = error_kind(reply)
    error: dict[str, Any] = {
        "code": reply.status,
        "message": reply.message,
        "metadata": {"error_type": code or kind},
    }
    return indented({"error": error})


WRITERS: Final[Mapping[ProfileName, Writer]] = {"stub": STUB, "openai": OPENAI}
_OPENROUTER: Final[Mapping[ProfileName, Writer]] = {
    profile: writer._replace(error=_openrouter_error) for profile, writer in WRITERS.items()
}
# The clients of Cerebras and Mistral read no pieces of a call.
_WHOLE_CALLS: Final = OPENAI._replace(frames=partial(frames, whole_calls=True))
# Mistral sends an empty text beside calls, and some of its clients take no null.
_MISTRAL: Final = _WHOLE_CALLS._replace(envelope=partial(envelope, no_content=""))


def writer_for(circumstances: Circumstances) -> Writer:
    """The writer of a reply. A part of the path identifies a provider."""
    profile, path = circumstances.profile, circumstances.path
    if "/api/v1/" in path:
        return _OPENROUTER[profile]
    if profile == "openai" and "/mistral/v1/" in path:
        return _MISTRAL
    if profile == "openai" and "/cerebras/v1/" in path:
        return _WHOLE_CALLS
    return WRITERS[profile]
