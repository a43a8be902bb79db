"""A mock answers the official client of the Gemini API."""

from __future__ import annotations

from contextlib import closing

import pytest
from google import genai
from google.genai import errors, types

from workbench.testing import MockLLM, Reply


def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"21 C in {city}"


@pytest.mark.parametrize("stream", [False, True])
def test_an_agent_that_calls_a_tool_twice(stream: bool) -> None:
    mock = MockLLM()
    cities = [{"name": "get_weather", "arguments": {"city": city}} for city in ("Rome", "Oslo")]
    mock.script(Reply.tool_calls(cities), Reply.text("21 C in both."))
    mock.script(Reply.error(429, "Slow down."))
    with closing(mock):
        options = types.HttpOptions(base_url=mock.base_url_of("gemini"))
        with genai.Client(api_key="none", http_options=options) as client:
            config = types.GenerateContentConfig(tools=[get_weather])
            chat = client.chats.create(model="gemini-3-pro", config=config)
            if stream:
                said = "".join(chunk.text or "" for chunk in chat.send_message_stream("Weather?"))
            else:
                said = chat.send_message("Weather?").text or ""
            assert said == "21 C in both."
            with pytest.raises(errors.ClientError, match="Slow down"):
                chat.send_message("Thanks")
    assert mock.calls()[1].text == "Weather?\n21 C in Rome\n21 C in Oslo"
    mock.assert_finished()
