"""Replies that need no fixture."""

from __future__ import annotations

import json
from typing import Any

from openai.types import Model

from workbench.core.answering.plain import PlainLookups, plain_reply
from workbench.core.answering.routes import Plain


def replied(route: Plain, *models: str) -> Any:
    lookups = PlainLookups(lambda: [*models], lambda reply_id: None)  # noqa: ARG005
    return json.loads(plain_reply(route, "", "openai", 0, lookups).body)


def test_a_model_has_all_that_the_client_reads() -> None:
    model = {"id": "org/name", "object": "model", "created": 0, "owned_by": "workbench"}
    assert replied(Plain("model", "org/name")) == model
    assert Model.model_validate(model).to_dict() == model


def test_a_list_of_models() -> None:
    listed = replied(Plain("models"), "a", "b")
    assert [model["id"] for model in listed["data"]] == ["a", "b"]
    assert replied(Plain("models")) == {"object": "list", "data": []}
