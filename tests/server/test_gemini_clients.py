"""Clients of the Gemini API work against fixtures that were promoted from their own misses: an
agent that calls a tool twice, streamed and not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from google import genai
from google.genai import types

from tests.server.promoting import ANSWER, QUESTION, get_weather, promoted
from tests.server.running import RunningServer, wait_until

MODEL = "gemini-3-pro"
KEY = "AIzaSy" + "aB3dE5gH7jK9" * 3

Agent = Callable[[str, bool], str]


def official(url: str) -> genai.Client:
    return genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=url))


def chat(url: str, stream: bool) -> str:
    """The official client, which runs the tool."""
    with official(url) as client:
        config = types.GenerateContentConfig(tools=[get_weather], system_instruction="Be brief.")
        talk = client.chats.create(model=MODEL, config=config)
        if not stream:
            return talk.send_message(QUESTION).text or ""
        return "".join(chunk.text or "" for chunk in talk.send_message_stream(QUESTION))


def pydantic_ai(url: str, stream: bool) -> str:
    import pydantic_ai as framework
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    async def run() -> str:
        client = official(url)
        async with client.aio:
            model = GoogleModel(MODEL, provider=GoogleProvider(client=client))
            agent = framework.Agent(model, tools=[get_weather])
            if not stream:
                return str((await agent.run(QUESTION)).output)
            async with agent.run_stream(QUESTION) as result:
                return str(await result.get_output())

    return asyncio.run(run())


@pytest.mark.parametrize("agent", [chat, pydantic_ai])
def test_an_agent_is_given_its_answers_miss_by_miss(server: RunningServer, agent: Agent) -> None:
    assert promoted(server, lambda: agent(server.url, False)) == (ANSWER, [1, 1, 1, 0])
    # The same requests, streamed: the fixtures are there.
    assert promoted(server, lambda: agent(server.url, True)) == (ANSWER, [0])


def test_what_an_api_without_ids_of_calls_says_is_recorded_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("real", "recorded", "replayed"):
        (tmp_path / name).mkdir()
    (tmp_path / "recorded" / "pyproject.toml").touch()
    with RunningServer(tmp_path / "real") as real:
        promoted(real, lambda: chat(real.url, False))
        for path in real.fixtures.iterdir():
            fixture = json.loads(path.read_text())
            for call in fixture["response"].get("tool_calls", []):
                del call["id"]
            path.write_text(json.dumps(fixture))
        arguments = ("--record", "--upstream", real.url)
        with RunningServer(
            tmp_path / "recorded", arguments=arguments, working_folder=tmp_path / "recorded"
        ) as recording:
            assert chat(recording.url, True) == ANSWER
            fixtures = recording.fixtures
            wait_until("saved", lambda: len(list(fixtures.glob("*.json"))) == 3)
    with RunningServer(tmp_path / "replayed", fixtures=fixtures) as server:
        for stream in (False, True):
            assert chat(server.url, stream) == ANSWER
        assert "unknown fixture hash" not in server.log_path.read_text()
    ids = [
        call["id"]
        for path in fixtures.iterdir()
        for call in json.loads(path.read_text())["response"].get("tool_calls", [])
    ]
    assert sorted(ids) == ["call_0", "call_1"]
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert [data for data in kept if KEY.encode() in data] == []
