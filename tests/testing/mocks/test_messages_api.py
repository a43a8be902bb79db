"""A mock answers the official client of the Messages API, over a socket and without one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from workbench.testing import MockLLM, Reply

if TYPE_CHECKING:
    from anthropic import Anthropic

MODEL = "claude-sonnet-4-6"


@pytest.fixture(params=[True, False], ids=["transport", "server"])
def anthropic_client(mock: MockLLM, request: pytest.FixtureRequest) -> Iterator[Anthropic]:
    from anthropic import Anthropic

    more: dict[str, Any] = {"base_url": mock.base_url_of("messages")}
    if request.param:
        http = httpx2.Client(transport=mock.transport())
        more = {"base_url": "http://stub", "http_client": http}
    with Anthropic(api_key="none", max_retries=0, **more) as client:
        yield client


def test_an_agent_whose_thread_is_continued(mock: MockLLM, anthropic_client: Anthropic) -> None:
    from anthropic import beta_tool

    @beta_tool
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return f"21 C in {city}"

    mock.script(
        Reply.tool_call("get_weather", city="Rome"),
        Reply.tool_call("get_weather", city="Oslo"),
        Reply.text("21 C in both."),
        system="Be brief.",
    )
    last = anthropic_client.beta.messages.tool_runner(
        model=MODEL,
        max_tokens=99,
        system="Be brief.",
        tools=[get_weather],
        messages=[{"role": "user", "content": "And the weather?"}],
    ).until_done()
    assert last.content[0].text == "21 C in both."
    mock.assert_finished()
    assert [message.role for message in mock.calls()[-1].view.messages] == [
        *("system", "user"),
        *("assistant", "tool") * 2,
    ]


def test_a_thread_that_is_not_known(mock: MockLLM, anthropic_client: Anthropic) -> None:
    from anthropic import NotFoundError

    with pytest.raises(NotFoundError):
        anthropic_client.beta.messages.create(
            model=MODEL,
            max_tokens=9,
            messages=[{"role": "user", "content": "Go on."}],
            thread={"type": "continue", "previous_message_id": "msg_01"},
        )
    (asked,) = mock.unsupported
    assert asked.line == "POST /v1/messages"


def test_a_stream_and_a_count(mock: MockLLM, anthropic_client: Anthropic) -> None:
    mock.script(Reply.text("Hi."))
    hello: Any = {"model": MODEL, "messages": [{"role": "user", "content": "hello there"}]}
    with anthropic_client.messages.stream(max_tokens=9, **hello) as events:
        assert "".join(events.text_stream) == "Hi."
    assert anthropic_client.messages.count_tokens(**hello).input_tokens == 2
