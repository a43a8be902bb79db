"""Replies that need no fixture."""

from __future__ import annotations

import base64
import json
from typing import Any

from openai.types import Model

from tests.cases import each_case
from workbench.core.answering.plain import PlainLookups, PlainRequest, plain_reply, whole
from workbench.core.answering.routes import Plain


def replied(
    route: Plain, *models: str, path: str = "", payload: dict[str, Any] | None = None
) -> Any:
    request = PlainRequest(route, path, "", payload or {})
    lookups = PlainLookups(lambda: [*models], lambda reply_id: None, lambda name: None)  # noqa: ARG005
    return json.loads(whole(plain_reply(request, "openai", 0, lookups)).body)


def test_a_model_has_all_that_the_client_reads() -> None:
    model = {"id": "org/name", "object": "model", "created": 0, "owned_by": "workbench"}
    assert replied(Plain("model", "org/name")) == model
    assert Model.model_validate(model).to_dict() == model


def test_a_list_of_models() -> None:
    listed = replied(Plain("models"), "a", "b")
    assert [model["id"] for model in listed["data"]] == ["a", "b"]
    assert replied(Plain("models")) == {"object": "list", "data": []}


TEXT = "How many tokens is this?"
INVOKED = json.dumps({"messages": [{"role": "user", "content": TEXT}]}).encode()


@each_case(
    "path, body, expected",
    [
        (
            "/v1/messages/count_tokens",
            {"messages": [{"role": "user", "content": TEXT}]},
            {"input_tokens": len(TEXT) // 4},
        ),
        (
            "/v1beta/models/gemini-2.5-pro:countTokens",
            {"contents": [{"parts": [{"text": TEXT}]}]},
            {"totalTokens": len(TEXT) // 4},
        ),
        (
            "/v1beta/models/gemini-2.5-pro:countTokens",
            {"generateContentRequest": {"contents": [{"parts": [{"text": TEXT}]}]}},
            {"totalTokens": len(TEXT) // 4},
        ),
        (
            "/model/m/count-tokens",
            {"input": {"converse": {"messages": [{"role": "user", "content": [{"text": TEXT}]}]}}},
            {"inputTokens": len(TEXT) // 4},
        ),
        (
            "/model/m/count-tokens",
            {"input": {"invokeModel": {"body": base64.b64encode(INVOKED).decode()}}},
            {"inputTokens": len(TEXT) // 4},
        ),
        # As litellm sent it.
        (
            "/model/m/count-tokens",
            {"input": {"invokeModel": {"body": INVOKED.decode()}}},
            {"inputTokens": len(TEXT) // 4},
        ),
        ("/model/m/count-tokens", {"input": {"invokeModel": {"body": 1}}}, {"inputTokens": 1}),
        ("/model/m/count-tokens", {"input": {"other": {}}}, {"inputTokens": 1}),
        ("/v1/messages", {"messages": [{"role": "user", "content": TEXT}]}, None),
        ("/v1/chat/completions", {"messages": []}, None),
        ("/v1/unknown/count_tokens", {}, None),
    ],
)
def test_tokens_are_counted(
    path: str, body: dict[str, Any], expected: dict[str, int] | None
) -> None:
    assert replied(Plain("tokens"), path=path, payload=body) == expected
