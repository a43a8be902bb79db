"""Earlier responses that a request of the Responses API continues, and items that it refers to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from workbench.core.apis.earlier import References, UnknownIDError
from workbench.core.apis.responses import request
from workbench.core.apis.responses.forwarded import forwarded
from workbench.core.apis.responses.read import reply_id
from workbench.core.apis.responses.reply import items
from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply
from workbench.core.requests.view import Payload

_KIND: Final = "invalid_request_error"


def _ids(payload: Payload) -> list[str]:
    earlier = request.earlier_id(payload)
    return [*([earlier] if earlier else []), *request.referred_ids(payload)]


def _resolve(payload: Payload, answers: Mapping[str, Answer]) -> Payload:
    if earlier := request.earlier_id(payload):
        if earlier not in answers:
            raise _unknown_response(earlier)
        payload = {**payload, request.EARLIER: _conversation(answers[earlier])}
    found = {}
    for given in request.referred_ids(payload):
        own = items(answers[given]) if given in answers else []
        item = next((item for item in own if item["id"] == given), None)
        if item is None:
            raise _unknown_item(given)
        found[given] = item
    return request.with_items(payload, found) if found else payload


def _conversation(answer: Answer) -> list[dict[str, Any]]:
    """The chat messages of an earlier request and of its reply. Instructions do not go on."""
    asked, output = answer.request, items(answer)
    if asked.api == request.NAME:
        whole = {"instructions": None, "input": [*request.input_items(asked.payload), *output]}
        return request.messages({**asked.payload, **whole})
    return [*asked.raw_messages, *request.messages({"input": output})]


def _unknown_response(id: str) -> UnknownIDError:
    message = f"Previous response with id '{id}' not found."
    code = "previous_response_not_found"
    error = ErrorReply(400, message, _KIND, code, param="previous_response_id")
    return UnknownIDError(error, "the response that it continues is not known to this server")


def _unknown_item(id: str) -> UnknownIDError:
    error = ErrorReply(404, f"Item with id '{id}' not found.", _KIND, param="input")
    return UnknownIDError(error, "an item that it refers to is not known to this server")


REFERENCES: Final = References(_ids, _resolve, reply_id, forwarded)
