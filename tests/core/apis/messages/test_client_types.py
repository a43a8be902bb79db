"""The types of the official client take every event and message, with no key that they lack."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, TypeAdapter

from tests.cases import each_case
from tests.core.apis.messages.sample import plain, streamed
from tests.core.apis.messages.test_shapes import RESPONSES
from workbench.core.apis import sse
from workbench.core.apis.messages.write import error
from workbench.core.replies.response import ErrorReply


def unknown_keys(model: Any) -> Iterator[str]:
    if isinstance(model, BaseModel):
        yield from model.model_extra or {}
        for name in type(model).model_fields:
            yield from unknown_keys(getattr(model, name))
    if isinstance(model, list):
        for item in model:
            yield from unknown_keys(item)


@each_case("name", RESPONSES)
def test_a_reply_has_the_types_of_the_client(name: str) -> None:
    from anthropic.types import Message, RawMessageStreamEvent

    events: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
    response = RESPONSES[name]
    assert [*unknown_keys(Message.model_validate_json(plain(response)))] == []
    for kind, data in sse.events(streamed(response)):
        if kind != "ping":  # which the client skips
            event = events.validate_json(data)
            assert event.type == kind
            assert [*unknown_keys(event)] == []


@each_case("status", [400, 401, 402, 403, 404, 408, 429, 500, 503, 504, 529])
def test_an_error_has_the_types_of_the_client(status: int) -> None:
    from anthropic.types.shared import ErrorResponse

    body = error(ErrorReply(status, "why", "server_error"))
    assert [*unknown_keys(ErrorResponse.model_validate_json(body))] == []


def test_a_type_of_the_api_is_kept_and_a_code_is_a_detail() -> None:
    body = json.loads(error(ErrorReply(404, "gone", "overloaded_error", "thread_not_found")))
    details = {"error_code": "thread_not_found"}
    assert body["error"] == {"type": "overloaded_error", "message": "gone", "details": details}


@each_case(
    "status, expected",
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ],
)
def test_the_type_of_chat_for_any_error_is_replaced_by_that_of_the_status(
    status: int, expected: str
) -> None:
    body = json.loads(error(ErrorReply(status, "why", "invalid_request_error")))
    assert body["error"]["type"] == expected
