"""The HTTP API of a mock: the same over a socket and through a transport without one."""

from __future__ import annotations

import time
from collections.abc import Mapping

from workbench.core.answering.bodies import (
    other_type,
    parse_body,
    require_body,
    require_uncompressed,
)
from workbench.core.answering.errors import (
    NotRoutedError,
    RefusedError,
    Unsupported,
    UnsupportedError,
    error_reply,
    failed,
)
from workbench.core.answering.plain import PlainRequest, plain_reply, whole
from workbench.core.answering.routes import Conversation, find_route
from workbench.core.apis.replies import UnknownIDError
from workbench.core.request_body import RequestError
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
    """The reply to one HTTP request, whose path may begin with the path of a base URL; header names
    are in lower case.
    """
    try:
        route = find_route(method, path, headers)
        if isinstance(route, Conversation):
            payload = route.received(_parsed(headers, body), query)
            return engine.deliver(path, payload, headers, body, query)
        payload = _parsed(headers, body) if route.reads_body else {}
        request = PlainRequest(route, path, query, payload)
        reply = plain_reply(request, engine.profile, int(time.time()), engine.lookups)
        return Outgoing(whole(reply))
    except (RefusedError, RequestError, UnsupportedError, UnknownIDError, NotRoutedError) as error:
        return refused(engine, method, path, error)
    except MockLLMError as error:
        refusal = RefusedError(error.status, error.code, str(error))
        return Outgoing(error_reply(path, refusal, engine.profile))


def refused(engine: Engine, method: str, path: str, error: Exception) -> Outgoing:
    """The reply to a request that cannot be answered. The mock lists it if the path belongs to an
    API.
    """
    outcome = failed(error, method, path, engine.profile)
    if isinstance(outcome, Unsupported):
        engine.note_unsupported(outcome.request)
    return Outgoing(outcome.reply)


def _parsed(headers: Mapping[str, str], body: bytes) -> Payload:
    """The JSON object in a body. Raises RefusedError and RequestError."""
    require_uncompressed(headers)
    require_body(headers, body)
    return parse_body(body, other_type(headers))
