"""The table of the APIs that fixtures answer, and how a request finds its own.

To add an API, write a package like ``core.apis.chat`` and add its name to ``core.apis.NAMES``:
servers, logs, mocks and imports take what they need from this table. Programs that only read logs
import it, so the modules that read requests and replies are imported when they are first used.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Final

from workbench.core.apis import NAMES
from workbench.core.apis.api import API, PlainPath, TokenCount
from workbench.core.requests.equivalence import canonical_form
from workbench.core.requests.view import Payload, RequestView

BY_NAME: Final[Mapping[str, API]] = {
    name: import_module(f"workbench.core.apis.{name}").API for name in NAMES
}
APIS: Final = tuple(BY_NAME.values())
CHAT: Final = APIS[0]
"""The API of requests that do not say theirs, and of errors where none is asked."""


def conversation_at(path: str) -> tuple[API, re.Match[str]] | None:
    """The API that is asked at a URL's path, which may begin with the path of any base URL."""
    if "/threads/" in path:  # of the Assistants API, which has messages, too
        return None
    for api in APIS:
        if match := api.path.search(path):
            return api, match
    return None


def plain_at(path: str) -> tuple[API, PlainPath, re.Match[str]] | None:
    """Which request without a fixture a URL's path asks for. The paths of the first API are the
    most general.
    """
    for api in reversed(APIS):
        for plain in api.request.PLAIN_PATHS:
            if match := plain.path.search(path):
                return api, plain, match
    return None


def api_by_headers(headers: Mapping[str, str]) -> API:
    """The API whose client asks at a path of several APIs. Names of headers are in lower case."""
    for api in APIS:
        own = {api.client.key_header, *dict(api.client.headers)} - {CHAT.client.key_header}
        agent = api.client.user_agent
        if any(name.lower() in headers for name in own):
            return api
        if agent and headers.get("user-agent", "").startswith(agent):
            return api
    return CHAT


def received(path: str, query: str, body: Payload) -> Payload | None:
    """A request to a URL's path as ``view`` reads it; None if no API has the path."""
    if (match := conversation_at(path)) is None:
        return None
    api, groups = match
    return api.request.received(body, groups, query)


def target(payload: Payload) -> tuple[str, str, Payload]:
    """Where a request is sent: the path after the base URL of a client, the query, the body."""
    api = api_of(payload)
    path, body = api.request.target(payload)
    path, _, query = path.removeprefix(api.client.base_path).partition("?")
    return path, query, body


def api_of(payload: Payload) -> API:
    """The API of a request as it was received, logged or stored."""
    name = payload.get("api")
    return BY_NAME.get(name, CHAT) if isinstance(name, str) else CHAT


def api_at(path: str) -> API:
    """The API whose errors a client expects at ``path`` of a URL."""
    match = conversation_at(counted_path(path) or path) or plain_at(path)
    return match[0] if match else CHAT


def counted_path(path: str) -> str | None:
    """The path of the requests whose tokens are counted at ``path``; None if none are."""
    counting = counting_at(path)
    return None if counting is None else counting[1] + counting[0].request_end


def counting_at(path: str) -> tuple[TokenCount, str] | None:
    """How tokens are counted at a URL's path, and how the path of the request itself begins; None
    if none are.
    """
    for api in APIS:
        count = api.request.TOKEN_COUNT
        if count is not None and (match := count.path.search(path)):
            return count, path[: match.start()]
    return None


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
