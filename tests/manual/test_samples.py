"""The sample of the page ``maintenance``: its fixtures are those that its script records."""

from __future__ import annotations

import json
from typing import Any

from tests.manual.blocks import SAMPLES
from tests.samples.shop.make_fixtures import model
from tests.testing.support import client_of
from workbench.testing import MockLLM

FIXTURES = sorted((SAMPLES / "shop" / "fixtures").glob("*.json"))


def called(calls: Any) -> list[tuple[str, object]]:
    functions = [call["function"] for call in calls or []]
    return [(function["name"], json.loads(function["arguments"])) for function in functions]


def test_the_sample_is_of_the_size_that_the_recipes_name() -> None:
    assert len(FIXTURES) == 200
    assert sum(path.stat().st_size for path in FIXTURES) < 1_000_000


def test_the_script_of_the_sample_answers_as_its_fixtures_do() -> None:
    with MockLLM() as mock, client_of(mock) as client:
        mock.respond(model)
        for path in FIXTURES:
            fixture = json.loads(path.read_bytes())
            request, response = fixture["request"], fixture["response"]
            message = client.chat.completions.create(**request).choices[0].message.model_dump()
            assert (message["content"] or "") == response["content"]
            assert called(message["tool_calls"]) == called(response.get("tool_calls"))
