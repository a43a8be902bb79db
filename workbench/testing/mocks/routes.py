"""The routes of the API that a mock answers, for a socket as for a transport without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.apis.unsupported_error import unsupported_reply
from workbench.core.digest import RequestError, parse_request
from workbench.testing.mocks.errors import MockLLMError
from workbench.testing.mocks.outgoing import Outgoing, plain, refusal, whole

if TYPE_CHECKING:
    from workbench.testing.mocks.engine import Engine

_CHAT: Final = "/chat/completions"
_EMBEDDINGS: Final = "/embeddings"
_MODELS: Final = "/models"


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
        path: whatever stands before the route is the base URL's.
        headers: their names in lower case.
        query: for the real model, where there is one.
    """
    try:
        if path.endswith(_CHAT) and method == "POST":
            return engine.deliver(parse_request(body), headers, query)
        if path.endswith(_EMBEDDINGS) and method == "POST":
            return whole(200, engine.profile.embeddings(parse_request(body)).body())
        if path.endswith(_MODELS) and method == "GET":
            return plain({"object": "list", "data": []})
        if f"{_MODELS}/" in path and method == "GET":
            name = path.partition(f"{_MODELS}/")[2]
            return plain({"id": name, "object": "model", "created": 0, "owned_by": "workbench"})
    except RequestError as error:
        return refusal(400, error.code, str(error))
    except MockLLMError as error:
        return refusal(error.status, error.code, str(error))
    known = (_CHAT, _EMBEDDINGS, _MODELS)
    if path.endswith(known):
        return refusal(405, "method_not_allowed", f"{path} does not take {method}")
    asked = UnsupportedRequest.of(method, path)
    if asked is not None:
        engine.unanswered.note_unsupported(asked)
        return Outgoing(unsupported_reply(asked))
    return refusal(404, "not_found", f"There is no {path}; a mock has {', '.join(known)}.")
