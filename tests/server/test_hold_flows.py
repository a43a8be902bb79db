"""With hold on, agents without a single fixture finish in one run: somebody writes the answers
while they wait.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from openai import APITimeoutError, AsyncOpenAI, OpenAI
from pydantic import SecretStr

from tests.apps.chat_agent.agent import ChatAgent
from tests.server.running import RunningServer, wait_until

CITIES = ["London", "Paris", "Lisbon"]
# Seconds without a byte after which a client gives up: longer than nothing is sent, and shorter.
PATIENT, IMPATIENT = 5.0, 1.5
ANSWER = "The weather of three cities is known now."


class Person:
    """Watches who is held, and saves for each what a model would have answered: one city after the
    other, then a sentence.

    Attributes:
        saved: how many fixtures that were.
    """

    def __init__(self, server: RunningServer, thinking_seconds: float = 0.0) -> None:
        self.saved = 0
        self._server = server
        self._thinking = thinking_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Person:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stop.wait(0.02):
            for held in self._server.request("GET", "/__workbench/held").json():
                if held["age_s"] < self._thinking:
                    continue
                miss = self._server.request("GET", f"/__workbench/misses/{held['digest']}").json()
                self._server.write_fixture(held["digest"], self._fixture(miss["requests"][0]))
                self.saved += 1
                wait_until("answered", partial(self._is_free, held["digest"]))

    def _is_free(self, digest: str) -> bool:
        held = self._server.request("GET", "/__workbench/held").json()
        return all(entry["digest"] != digest for entry in held)

    def _fixture(self, payload: dict[str, Any]) -> dict[str, Any]:
        results = sum(message["role"] == "tool" for message in payload["messages"])
        if results == len(CITIES):
            return {"response": {"content": ANSWER}}
        call = {
            "index": 0,
            "id": f"call_{results}",
            "type": "function",
            "function": {
                "name": "get_weather",
                "arguments": f'{{"city": "{CITIES[results]}"}}',
            },
        }
        return {"response": {"tool_calls": [call], "finish_reason": "tool_calls"}}


@pytest.fixture(scope="module")
def holding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("holding"), arguments=("--hold",)) as running:
        yield running


@pytest.fixture
def server(holding: RunningServer) -> RunningServer:
    """One that holds, with an empty folder."""
    for path in holding.fixtures.glob("*.json"):
        path.unlink()
    return holding


def fixtures_of(server: RunningServer) -> int:
    return len(list(server.fixtures.glob("*.json")))


def openai_agent(url: str, *, stream: bool) -> str:
    with OpenAI(base_url=url, api_key="none", max_retries=0) as client:
        return ChatAgent(client, stream=stream).ask("What is the weather?")


def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"12 °C in {city}"


# Frameworks take long to load: only where they are used.


def langchain_agent(url: str, *, stream: bool) -> str:
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(
        model="gpt-4o", base_url=url, api_key=SecretStr("none"), max_retries=0, streaming=stream
    ).bind_tools([tool(get_weather)])
    messages: list[BaseMessage] = [HumanMessage("What is the weather?")]
    while True:
        answer = model.invoke(messages)
        assert isinstance(answer, AIMessage)
        messages.append(answer)
        if not answer.tool_calls:
            return str(answer.content)
        for call in answer.tool_calls:
            result = get_weather(**call["args"])
            messages.append(ToolMessage(result, tool_call_id=call["id"]))


def pydantic_agent(url: str, *, stream: bool) -> str:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def answer() -> str:
        async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=client))
            agent = Agent(model)
            agent.tool_plain(get_weather)
            if not stream:
                return str((await agent.run("What is the weather?")).output)
            async with agent.run_stream("What is the weather?") as result:
                return str(await result.get_output())

    return asyncio.run(answer())


Ask = Callable[..., str]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("agent", [openai_agent, langchain_agent, pydantic_agent])
def test_a_run_without_fixtures_is_finished_in_one_go(
    server: RunningServer, agent: Ask, stream: bool
) -> None:
    before = server.log_size()
    with Person(server) as person:
        assert agent(server.url + "/v1", stream=stream) == ANSWER
    # As many fixtures as turns, each missed once.
    assert person.saved == fixtures_of(server) == len(CITIES) + 1
    assert server.log(before).count("unknown fixture hash") == len(CITIES) + 1
    # And the next run needs nobody.
    assert agent(server.url + "/v1", stream=stream) == ANSWER
    assert server.log(before).count("unknown fixture hash") == len(CITIES) + 1


def test_impatient_clients_wait_for_a_slow_person(server: RunningServer) -> None:
    """A client that hears something every two seconds does not give up; one that gave up before
    that asks again, and is a client like any other.
    """

    def ask(stream: bool, timeout: float, number: int) -> str:
        with OpenAI(
            base_url=server.url + "/v1", api_key="none", timeout=timeout, max_retries=0
        ) as client:
            agent = ChatAgent(client, model=f"gpt-4o {number}", stream=stream)
            agent.messages += [{"role": "tool", "tool_call_id": "x", "content": "known"}] * 3
            return agent.ask("What is the weather?")

    def ask_twice(stream: bool, number: int) -> str:
        with pytest.raises(APITimeoutError):
            ask(stream, IMPATIENT, number)
        return ask(stream, PATIENT, number)

    before = server.log_size()
    with Person(server, thinking_seconds=5.5) as person, ThreadPoolExecutor(4) as clients:
        answers = [clients.submit(ask, stream, PATIENT, stream) for stream in (False, True)]
        answers += [clients.submit(ask_twice, stream, 2 + stream) for stream in (False, True)]
        assert [answer.result(60) for answer in answers] == [ANSWER] * 4
    assert person.saved == fixtures_of(server) == 4
    assert server.log(before).count("unknown fixture hash") == 4 + 2
