"""Find the API for the path of a URL, and the path for a request."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.core.apis.api import API, PlainPath, TokenCount
from workbench.core.apis.table import APIS, CHAT, api_of
from workbench.core.requests.view import Payload


def conversation_at(path: str) -> tuple[API, re.Match[str]] | None:
    """The API of a URL's path, which may begin with the path of any base URL."""
    if "/threads/" in path:  # of the Assistants API, which has messages, too
        return None
    for api in APIS:
        if match := api.path.search(path):
            return api, match
    return None


def plain_at(path: str) -> tuple[API, PlainPath, re.Match[str]] | None:
    """The request without a fixture for a URL's path. The paths of the first API are the most
    general.
    """
    for api in reversed(APIS):
        for plain in api.request.PLAIN_PATHS:
            if match := plain.path.search(path):
                return api, plain, match
    return None


def api_by_headers(headers: Mapping[str, str]) -> API:
    """The API of the client, for paths that several APIs share. Header names are in lower case."""
    for api in APIS:
        own = {api.client.key_header, *dict(api.client.headers)} - {CHAT.client.key_header}
        agent = api.client.user_agent
        if any(name.lower() in headers for name in own):
            return api
        if agent and headers.get("user-agent", "").startswith(agent):
            return api
    return CHAT


def received(path: str, query: str, body: Payload) -> Payload | None:
    """A request to a URL's path as ``table.view`` reads it; None if no API has the path."""
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
