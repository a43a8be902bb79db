"""The HTTP API of a mock: the same over a socket and through a transport without one."""

from __future__ import annotations

import time
from collections.abc import Mapping

from workbench.core.answering.bodies import parse_body, require_body, require_json
from workbench.core.answering.errors import (
    NotRoutedError,
    RefusedError,
    Unsupported,
    UnsupportedError,
    error_reply,
    failed,
)
from workbench.core.answering.plain import (
    body_reply,
    embeddings_reply,
    json_reply,
    moderation_reply,
    plain_reply,
    token_count,
)
from workbench.core.answering.routes import Conversation, Plain, find_route
from workbench.core.apis.api import UnknownIDError
from workbench.core.digest import RequestError
from workbench.core.replies.http_reply import HTTPReply
from workbench.core.requests.view import Payload
from workbench.testing.mocks.engine import Engine, Outgoing
from workbench.testing.mocks.errors import MockLLMError


def handle(
    engine: Engine,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes,
    query: str = "",
) -> Outgoing:
    """The reply to one HTTP request, whose path may begin with that of a base URL; names of headers
    are in lower case.
    """
    try:
        route = find_route(method, path, headers)
        if isinstance(route, Conversation):
            payload = route.received(_parsed(headers, body), query)
            return engine.deliver(path, payload, headers, body, query)
        return Outgoing(_plain(engine, route, path, headers, body, query))
    except (RefusedError, RequestError, UnsupportedError, UnknownIDError, NotRoutedError) as error:
        return refused(engine, method, path, error)
    except MockLLMError as error:
        refusal = RefusedError(error.status, error.code, str(error))
        return Outgoing(error_reply(path, refusal, engine.profile))


def refused(engine: Engine, method: str, path: str, error: Exception) -> Outgoing:
    """The reply to a request that cannot be answered; the mock lists those of an API."""
    outcome = failed(error, method, path, engine.profile)
    if isinstance(outcome, Unsupported):
        engine.note_unsupported(outcome.request)
    return Outgoing(outcome.reply)


def _plain(
    engine: Engine, route: Plain, path: str, headers: Mapping[str, str], body: bytes, query: str
) -> HTTPReply:
    match route.kind:
        case "embeddings":
            reply = embeddings_reply(route, _parsed(headers, body), path, engine.profile)
            return body_reply(b"".join(reply.parts))
        case "moderations":
            return moderation_reply(_parsed(headers, body), engine.lookups)
        case "tokens":
            return json_reply(token_count(path, query, _parsed(headers, body)))
    return plain_reply(route, query, engine.profile, int(time.time()), engine.lookups)


def _parsed(headers: Mapping[str, str], body: bytes) -> Payload:
    """The JSON object in a body. Raises RefusedError and RequestError."""
    require_json(headers)
    require_body(headers, body)
    return parse_body(body)
