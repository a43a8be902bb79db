"""A mock answers the official client of Ollama."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from ollama import Client, ResponseError

from workbench.testing import MockLLM, Reply

TOOL: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


@pytest.mark.parametrize("stream", [False, True])
def test_an_agent_that_calls_a_tool_twice(stream: bool) -> None:
    mock = MockLLM()
    cities = [{"name": "get_weather", "arguments": {"city": city}} for city in ("Rome", "Oslo")]
    mock.script(Reply.tool_calls(cities), Reply.text("21 C in both."))
    mock.script(Reply.error(429, "Slow down."))
    messages: list[Any] = [{"role": "user", "content": "Weather?"}]
    with closing(mock), Client(mock.base_url_of("ollama")) as client:

        def ask() -> Any:
            if not stream:
                return client.chat("llama3.2", messages, tools=[TOOL]).message
            reply = client.chat("llama3.2", messages, tools=[TOOL], stream=True)
            parts = [part.message for part in reply]
            calls = [call for part in parts for call in part.tool_calls or []]
            content = "".join(part.content or "" for part in parts)
            return {"role": "assistant", "content": content, "tool_calls": calls}

        messages.append(ask())
        for call in messages[-1]["tool_calls"]:
            name, output = call.function.name, f"21 C in {call.function.arguments['city']}"
            messages.append({"role": "tool", "tool_name": name, "content": output})
        answer = ask()
        assert answer["content"] == "21 C in both."
        messages += [answer, {"role": "user", "content": "Thanks"}]
        with pytest.raises(ResponseError, match="Slow down"):
            ask()
    assert mock.calls()[1].text == "Weather?\n21 C in Rome\n21 C in Oslo"
    mock.assert_finished()
