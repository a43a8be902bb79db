"""Clients of other providers than the API's own, as they come: their base URL is that of the
environment, as `workbench run` sets it.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agents import (
    Agent,
    GuardrailFunctionOutput,
    InputGuardrailTripwireTriggered,
    Runner,
    input_guardrail,
)
from anthropic import Anthropic, AnthropicFoundry, AnthropicVertex
from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials
from openai import AsyncOpenAI, AzureOpenAI, OpenAI

from tests.server.promoting import ANSWER, QUESTION, get_weather, promoted
from tests.server.routes.test_control import get
from tests.server.running import RunningServer
from workbench.core.digest import digest
from workbench.io.processes.client_environment import client_environment

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
VERSION = "2024-10-21"


@pytest.fixture
def environment(openai_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """That of a suite under `workbench run`; nothing may be listed of it as unsupported."""
    for name, value in client_environment(openai_server.url, {}).items():
        monkeypatch.setenv(name, value)
    yield
    assert [row for row in get(openai_server, "misses") if row["state"] == "unsupported"] == []


def chat_agent(client: OpenAI, *, stream: bool) -> str:
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    function: Any = {"name": "get_weather", "parameters": SCHEMA}
    while True:
        asked: dict[str, Any] = {
            "model": "my-deployment",
            "messages": messages,
            "tools": [{"type": "function", "function": function}],
        }
        if stream:
            with client.chat.completions.stream(**asked) as events:
                message: Any = events.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(**asked).choices[0].message
        if not message.tool_calls:
            return str(message.content)
        messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
        for call in message.tool_calls:
            content = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def azure(*, stream: bool) -> str:
    with AzureOpenAI(api_version=VERSION, max_retries=0) as client:
        return chat_agent(client, stream=stream)


def azure_deployment(*, stream: bool) -> str:
    with AzureOpenAI(
        api_version=VERSION, azure_deployment="my-deployment", max_retries=0
    ) as client:
        return chat_agent(client, stream=stream)


def azure_v1(*, stream: bool) -> str:
    url = os.environ["AZURE_OPENAI_ENDPOINT"] + "/openai/v1/"
    with OpenAI(base_url=url, max_retries=0) as client:
        return chat_agent(client, stream=stream)


def claude_agent(client: AnthropicVertex | AnthropicFoundry, *, stream: bool) -> str:
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        asked: dict[str, Any] = {
            "model": "claude-sonnet-4-5@20250929",
            "max_tokens": 99,
            "messages": messages,
            "tools": [{"name": "get_weather", "input_schema": SCHEMA}],
        }
        if stream:
            with client.messages.stream(**asked) as events:
                message = events.get_final_message()
        else:
            message = client.messages.create(**asked)
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in message.content if block.type == "text")
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": get_weather(str(call.input["city"])),
            }
            for call in calls
        ]
        messages += [
            {"role": "assistant", "content": message.content},
            {"role": "user", "content": results},
        ]


def anthropic_vertex(*, stream: bool) -> str:
    with AnthropicVertex(
        project_id="p", region="us-east5", access_token="x", max_retries=0
    ) as client:
        return claude_agent(client, stream=stream)


def anthropic_foundry(*, stream: bool) -> str:
    with AnthropicFoundry(max_retries=0) as client:
        return claude_agent(client, stream=stream)


def gemini_agent(client: genai.Client, *, stream: bool) -> str:
    config = types.GenerateContentConfig(tools=[get_weather])
    chat = client.chats.create(model="gemini-2.5-flash", config=config)
    if stream:
        return "".join(chunk.text or "" for chunk in chat.send_message_stream(QUESTION))
    return chat.send_message(QUESTION).text or ""


def gemini_vertex(*, stream: bool) -> str:
    credentials = Credentials("token")  # type: ignore[no-untyped-call]
    with genai.Client(
        vertexai=True, project="p", location="us-central1", credentials=credentials
    ) as client:
        return gemini_agent(client, stream=stream)


def gemini_vertex_by_key(*, stream: bool) -> str:
    with genai.Client(vertexai=True, api_key="x") as client:
        return gemini_agent(client, stream=stream)


AGENTS: list[Callable[..., str]] = [
    azure,
    azure_deployment,
    azure_v1,
    anthropic_vertex,
    anthropic_foundry,
    gemini_vertex,
    gemini_vertex_by_key,
]


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("agent", AGENTS, ids=[agent.__name__ for agent in AGENTS])
def test_an_agent_of_two_tool_calls(
    openai_server: RunningServer, agent: Callable[..., str], stream: bool
) -> None:
    said, misses = promoted(openai_server, lambda: agent(stream=stream))
    assert (said, misses[-1]) == (ANSWER, 0)


@pytest.mark.usefixtures("environment")
def test_functions_of_the_module_do_not_take_azure_for_openai() -> None:
    program = "import openai; print(openai.embeddings.create(model='m', input='hi').model)"
    words = [sys.executable, "-c", program]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "m\n"


@pytest.mark.usefixtures("environment")
def test_a_deployment_is_the_model_where_the_body_has_none(openai_server: RunningServer) -> None:
    body = {"messages": [{"role": "user", "content": "hi"}]}
    path = "/openai/deployments/text-embedding-3-large"
    reply = openai_server.post(f"{path}/chat/completions?api-version={VERSION}", body)
    assert reply.json()["model"] == "text-embedding-3-large"
    vectors = openai_server.post(f"{path}/embeddings", {"input": "hi"}).json()
    assert (vectors["model"], len(vectors["data"][0]["embedding"])) == (
        "text-embedding-3-large",
        3072,
    )


@pytest.mark.usefixtures("environment")
def test_the_client_of_gemini_lists_models() -> None:
    with genai.Client() as client:
        model = client.models.get(model="gemini-2.5-pro")
        assert (model.name, model.output_token_limit) == ("models/gemini-2.5-pro", 65_536)
        listed = {model.name for model in client.models.list()}
    assert all(name is not None and name.startswith("models/") for name in listed)


@pytest.mark.usefixtures("environment")
def test_the_client_of_anthropic_lists_models() -> None:
    with Anthropic() as client:
        assert client.models.retrieve("claude-sonnet-5").display_name == "claude-sonnet-5"
        listed = [model.id for model in client.models.list()]
    with OpenAI() as other:
        assert listed == [model.id for model in other.models.list()]


# Moderations

MODEL = "omni-moderation-latest"


def flag(server: RunningServer, text: str, categories: str) -> None:
    """Write the fixture of a text."""
    asked = {"model": MODEL, "messages": [{"role": "user", "content": text}]}
    server.fixtures.mkdir(exist_ok=True)
    fixture = json.dumps({"response": {"content": categories}})
    (server.fixtures / f"{digest(asked)}.json").write_text(fixture)


@pytest.mark.usefixtures("environment")
def test_nothing_is_flagged_unless_a_fixture_says_so(openai_server: RunningServer) -> None:
    flag(openai_server, "hit", "violence, harassment/threatening")
    with OpenAI() as client:
        reply = client.moderations.create(model=MODEL, input=["hi", "hit"])
        picture: Any = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
        parts = client.moderations.create(input=[{"type": "text", "text": "hi"}, picture])
        old = client.moderations.create(model="text-moderation-007", input="hit")
    assert [answer.model for answer in (reply, parts, old)] == [MODEL, MODEL, "text-moderation-007"]
    assert not old.results[0].flagged  # the fixture is of another model
    assert [result.flagged for result in reply.results] == [False, True]
    assert parts.results[0].category_applied_input_types.violence == ["text", "image"]
    result = reply.results[1]
    flagged = {name for name, is_flagged in result.categories.to_dict().items() if is_flagged}
    assert flagged == {"violence", "harassment/threatening"}
    assert result.category_scores.violence > 0.9 > result.category_scores.hate


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (["a"] * 2049, "input has 2,049 items; at most 2,048"),
        (
            ["a", {"type": "text", "text": "b"}],
            "input is a list; expected a string or a list of strings",
        ),
        ([], "input is a list; expected a string or a list of strings"),
    ],
)
def test_inputs_that_are_not_moderated(
    server: RunningServer, inputs: list[Any], message: str
) -> None:
    reply = server.post("/v1/moderations", {"input": inputs})
    assert (reply.status, reply.json()["error"]["message"]) == (400, message)


def test_a_fixture_that_flags_no_category_is_an_error(server: RunningServer) -> None:
    flag(server, "rude", "rudeness")
    reply = server.post("/v1/moderations", {"input": "rude"})
    assert reply.status == 400
    assert "the fixture flags rudeness; the categories" in reply.json()["error"]["message"]
    for path in server.fixtures.iterdir():
        path.write_text("{")
    reply = server.post("/v1/moderations", {"input": "rude"})
    assert (reply.status, reply.json()["error"]["code"]) == (500, "broken_fixture")


@pytest.mark.usefixtures("environment")
def test_a_guardrail_of_agents_moderates(openai_server: RunningServer) -> None:
    flag(openai_server, "let us hit them", "violence")

    @input_guardrail  # type: ignore[untyped-decorator]
    async def moderated(context: Any, agent: Any, text: Any) -> Any:  # noqa: ARG001
        async with AsyncOpenAI() as client:
            moderation = await client.moderations.create(model=MODEL, input=text)
        return GuardrailFunctionOutput(
            output_info=None, tripwire_triggered=moderation.results[0].flagged
        )

    agent = Agent(name="calm", input_guardrails=[moderated])
    with pytest.raises(InputGuardrailTripwireTriggered):
        asyncio.run(Runner.run(agent, "let us hit them"))
