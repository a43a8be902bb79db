"""The HTTP API of a mock: the same over a socket and through a transport without one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.core.apis.chat import request, wire
from workbench.core.apis.chat.request import Payload
from workbench.core.apis.chat.wire import ENVELOPE_TYPE, Frame, HTTPReply, Profile
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.apis.unsupported_error import unsupported_reply
from workbench.core.digest import RequestError, parse_request
from workbench.core.replies.answer import Answer
from workbench.core.replies.delivery import MAX_DELAY_MS
from workbench.testing.mocks.errors import MockLLMError

if TYPE_CHECKING:
    from workbench.testing.mocks.engine import Engine

_CHAT: Final = "/chat/completions"
_EMBEDDINGS: Final = "/embeddings"
_MODELS: Final = "/models"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A reply and its timing.

    Attributes:
        delay: seconds until the first byte; None if the reply never comes.
        pause: seconds before each paced frame.
        is_refused: refuse the connection, where it is not open yet.
    """

    reply: HTTPReply
    delay: float | None = 0.0
    pause: float = 0.0
    is_refused: bool = False


def outgoing(
    answer: Answer, payload: Payload, profile: Profile, *, is_refused: bool = False
) -> Outgoing:
    """The HTTP reply for an answer to ``payload``."""
    stream = request.asks_stream(payload)
    reply = wire.http_reply(profile, answer, int(time.time()), stream=stream)
    delivery = answer.reply.delivery
    delay = None if delivery.delay_ms >= MAX_DELAY_MS else delivery.delay_ms / 1000
    return Outgoing(reply, delay, delivery.chunk_delay_ms / 1000, is_refused)


def refusal(status: int, code: str, message: str) -> Outgoing:
    """An error in the shape of the API."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return _json(wire.error_body(message, code=code, kind=kind), status)


def _json(body: bytes, status: int = 200) -> Outgoing:
    return Outgoing(HTTPReply(status, ENVELOPE_TYPE, [Frame("body", body)]))


def handle(
    engine: Engine,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes,
    query: str = "",
) -> Outgoing:
    """The reply to one HTTP request.

    Args:
        path: may begin with the path of a base URL.
        headers: names are in lower case.
        query: passed on to the real model, if there is one.
    """
    try:
        if path.endswith(_CHAT) and method == "POST":
            return engine.deliver(parse_request(body), headers, query)
        if path.endswith(_EMBEDDINGS) and method == "POST":
            return _json(engine.profile.embeddings(parse_request(body)).body())
        if path.endswith(_MODELS) and method == "GET":
            return _json(wire.json_body({"object": "list", "data": []}))
        if f"{_MODELS}/" in path and method == "GET":
            name = path.partition(f"{_MODELS}/")[2]
            model = {"id": name, "object": "model", "created": 0, "owned_by": "workbench"}
            return _json(wire.json_body(model))
    except RequestError as error:
        return refusal(400, error.code, str(error))
    except MockLLMError as error:
        return refusal(error.status, error.code, str(error))
    known = (_CHAT, _EMBEDDINGS, _MODELS)
    if path.endswith(known):
        return refusal(405, "method_not_allowed", f"{path} does not take {method}")
    asked = UnsupportedRequest.of(method, path)
    if asked is not None:
        engine.note_unsupported(asked)
        return Outgoing(unsupported_reply(asked))
    return refusal(404, "not_found", f"There is no {path}; a mock has {', '.join(known)}.")
