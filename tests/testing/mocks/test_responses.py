"""A mock answers the Responses API, and requests that continue an earlier response."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from tests.testing.support import client_of
from workbench.testing import MockLLM, Reply

OUTPUT: Any = {"type": "function_call_output", "call_id": "call_1", "output": "21"}


def test_a_conversation_is_continued_by_id() -> None:
    with MockLLM() as mock, client_of(mock) as client:
        mock.script(Reply.tool_call("get_weather", city="Rome"), Reply.text("Warm."))
        tools: Any = [{"type": "function", "name": "get_weather"}]
        first = client.responses.create(model="gpt-5", input="Rome?", tools=tools)
        with client.responses.stream(
            model="gpt-5", input=[OUTPUT], previous_response_id=first.id
        ) as events:
            assert events.get_final_response().output_text == "Warm."
        roles = [message["role"] for message in mock.calls()[1].messages]
        assert roles == ["user", "assistant", "tool"]
        mock.assert_finished()


def test_an_unknown_response_is_the_error_of_the_api() -> None:
    with MockLLM(strict=False) as mock, client_of(mock) as client:
        with pytest.raises(openai.BadRequestError) as caught:
            client.responses.create(model="gpt-5", input="a", previous_response_id="resp_1")
        assert caught.value.code == "previous_response_not_found"
        assert mock.calls() == []
