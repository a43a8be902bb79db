"""The table of the APIs that fixtures answer, and requests as their own API reads them.

To add an API, write a package like ``core.apis.chat`` and add its name to ``core.apis.NAMES``:
servers, logs, mocks and imports take what they need from this table. Programs that only read logs
import it, so the modules that read requests and replies are imported when they are first used.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import import_module
from typing import Final

from workbench.core.apis import NAMES
from workbench.core.apis.api import API
from workbench.core.requests.equivalence import canonical_form
from workbench.core.requests.view import Payload, RequestView

BY_NAME: Final[Mapping[str, API]] = {
    name: import_module(f"workbench.core.apis.{name}").API for name in NAMES
}
APIS: Final = tuple(BY_NAME.values())
CHAT: Final = APIS[0]
"""The API of requests that do not say theirs, and of errors where none is asked."""


def api_of(payload: Payload) -> API:
    """The API of a request as it was received, logged or stored."""
    name = payload.get("api")
    return BY_NAME.get(name, CHAT) if isinstance(name, str) else CHAT


@functools.cache
def finish_reasons() -> Mapping[str, str]:
    """The words of all APIs for why a reply ends, each with the word of chat."""
    return {
        reason: chat_reason
        for api in APIS
        for reason, chat_reason in api.replies.finish_reasons.items()
    }


def view(payload: Payload) -> RequestView:
    """A request as it was received, logged or stored, as a view."""
    api = api_of(payload)
    if api is CHAT:
        return RequestView(payload, api.name, payload)
    return RequestView(payload, api.name, canonical_form(api.request.as_chat(payload)))
