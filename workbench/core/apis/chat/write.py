"""Writes an answer as the chat completions API does, in one of two profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from workbench.core.apis.chat.write_openai import OPENAI
from workbench.core.apis.chat.write_stub import STUB
from workbench.core.replies.http_reply import Writer
from workbench.core.replies.profile_names import ProfileName
from workbench.core.requests.view import RequestView

WRITERS: Final[Mapping[ProfileName, Writer]] = {"stub": STUB, "openai": OPENAI}


def writer(profile: ProfileName, request: RequestView | None = None) -> Writer:  # noqa: ARG001
    """What writes the replies of a profile."""
    return WRITERS[profile]
