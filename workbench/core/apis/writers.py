"""The writers and readers of the replies of each API; ``core.apis.table`` has their requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from workbench.core.apis.api import API
from workbench.core.apis.chat.api import CHAT
from workbench.core.apis.gemini.api import GEMINI
from workbench.core.apis.messages.api import MESSAGES
from workbench.core.apis.responses.api import RESPONSES
from workbench.core.apis.table import find, request_module
from workbench.core.apis.token_counts import request_path
from workbench.core.requests.view import Payload

BY_NAME: Final[dict[str, API]] = {api.name: api for api in (CHAT, RESPONSES, MESSAGES, GEMINI)}
FINISH_REASONS: Final[Mapping[str, str]] = {
    theirs: ours for api in BY_NAME.values() for theirs, ours in api.finish_reasons.items()
}
"""The words of all APIs for why a reply ends, each with the word of chat."""


def of(payload: Payload) -> API:
    """The API of a request as it was received, logged or stored."""
    return BY_NAME[request_module(payload).NAME]


def at(path: str) -> API:
    """The API whose errors a client expects at ``path`` of a URL."""
    found = find(request_path(path) or path)
    return BY_NAME[found[0].NAME] if found else CHAT
