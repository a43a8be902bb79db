"""The HTTP API of a mock: the same over a socket and through a transport without one."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.apis import embeddings
from workbench.core.apis.api import UnknownIDError
from workbench.core.apis.model_list import MODELS, model, model_list
from workbench.core.apis.table import APIS, EMBEDDINGS, api_at, counted_path, find
from workbench.core.apis.token_counts import token_count
from workbench.core.apis.unsupported import UnsupportedRequest, unsupported_reply
from workbench.core.digest import RequestError, parse_request
from workbench.core.replies.http_reply import ENVELOPE_TYPE, Frame, HTTPReply, json_body
from workbench.core.replies.response import ErrorReply
from workbench.testing.mocks.engine import Engine, Outgoing
from workbench.testing.mocks.errors import MockLLMError


def refusal(path: str, status: int, code: str, message: str) -> Outgoing:
    """An error in the shape of the API that is asked at ``path``."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    error = ErrorReply(status, message, kind, code)
    return Outgoing(api_at(path).replies.writer("stub").error_reply(error))


def refused(
    engine: Engine, method: str, path: str, status: int, code: str, message: str
) -> Outgoing:
    """An error about a request that cannot be answered, which the mock lists."""
    if (asked := UnsupportedRequest.of(method, path, message)) is not None:
        engine.note_unsupported(asked)
    return refusal(path, status, code, message)


def _json(body: bytes) -> Outgoing:
    return Outgoing(HTTPReply(200, ENVELOPE_TYPE, [Frame("body", body)]))


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
        if (found := find(path)) and method == "POST":
            api, match = found
            payload = api.request.received(parse_request(body), match, query)
            if reason := api.request.unsupported(payload):
                return _unsupported(engine, UnsupportedRequest.of_feature(method, path, reason))
            return engine.deliver(payload, headers, body, query)
        if counted_path(path) and method == "POST":
            return _json(json_body(token_count(path, query, parse_request(body))))
        if path.endswith(EMBEDDINGS) and method == "POST":
            return _json(embeddings.read(parse_request(body), engine.profile).body())
        if path.endswith(MODELS) and method == "GET":
            return _json(json_body(model_list([])))
        if f"{MODELS}/" in path and method == "GET":
            return _json(json_body(model(path.partition(f"{MODELS}/")[2])))
    except UnknownIDError as error:
        unknown = UnsupportedRequest.of_feature(method, path, error.reason)
        return _unsupported(
            engine, unknown, api_at(path).replies.writer("stub").error_reply(error.reply)
        )
    except RequestError as error:
        return refused(engine, method, path, 400, error.code, str(error))
    except MockLLMError as error:
        return refusal(path, error.status, error.code, str(error))
    if find(path) or counted_path(path) or path.endswith((EMBEDDINGS, MODELS)):
        reason = f"{path} does not take {method}"
        return refused(engine, method, path, 405, "method_not_allowed", reason)
    asked = UnsupportedRequest.of(method, path)
    if asked is not None:
        return _unsupported(engine, asked)
    known = [*(route for api in APIS for route in api.request.ROUTES), EMBEDDINGS, MODELS]
    message = f"There is no {path}; a mock has {', '.join(known)}."
    return refusal(path, 404, "not_found", message)


def _unsupported(
    engine: Engine, asked: UnsupportedRequest, reply: HTTPReply | None = None
) -> Outgoing:
    engine.note_unsupported(asked)
    return Outgoing(reply or unsupported_reply(asked))
