"""A fixture made in any part of the product answers in every other, whatever the profile.

A conversation of two turns with a tool: its fixtures are made in one way, and its agent is answered
in another. The agent appends each message to its conversation as the official client read it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from openai import AsyncOpenAI

from tests.session.support import open_session
from workbench.cli.main import main
from workbench.core.digest import digest
from workbench.core.log.reader import LogParser
from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName
from workbench.io.fixture.reply_saver import ReplySaver
from workbench.io.fixture.store import FixtureStore
from workbench.io.network.upstream import Upstream
from workbench.io.recordings.writers import RecordingWriters
from workbench.server.app import StubApp
from workbench.server.log import LogSink
from workbench.server.misses.recorder import Recorder
from workbench.server.wire.delays import Delays
from workbench.session.misses.states import open_misses
from workbench.testing import MockLLM, Reply
from workbench.testing.mocks.live import LiveModel

ANSWER: Final = "Take an umbrella."
TOOL: Final[Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
ARGUMENTS: Final = '{"city": "London"}'

Maker = Callable[[Path, ProfileName], None]


def agent(answers: StubApp | MockLLM, *, streams: bool = False) -> str:
    """Runs the agent without a socket; returns its last message."""
    if isinstance(answers, StubApp):
        transport: Any = httpx2.ASGITransport(answers)
    else:
        transport = answers.transport()

    async def run() -> str:
        http = httpx2.AsyncClient(transport=transport)
        async with AsyncOpenAI(
            base_url="http://stub/v1", api_key="none", max_retries=0, http_client=http
        ) as client:
            said: list[Any] = [{"role": "user", "content": "Do I need an umbrella in London?"}]
            while True:
                asked: Any = {"model": "gpt-4o", "messages": said, "tools": [TOOL]}
                if streams:
                    async with client.chat.completions.stream(**asked) as stream:
                        message: Any = (await stream.get_final_completion()).choices[0].message
                else:
                    reply = await client.chat.completions.create(**asked)
                    message = reply.choices[0].message
                if not message.tool_calls:
                    if isinstance(answers, StubApp):
                        await answers.close()
                    return str(message.content)
                results = [
                    {"role": "tool", "tool_call_id": call.id, "content": "rain"}
                    for call in message.tool_calls
                ]
                said += [message, *results]

    return asyncio.run(run())


def served(folder: Path, profile: ProfileName = "stub", **more: Any) -> StubApp:
    """``workbench serve``; its log is beside the fixtures."""
    store = FixtureStore(folder / "fixtures")
    return StubApp(store, profile, Delays(), LogSink(folder / "server.log"), **more)


def scripted(mock: MockLLM) -> MockLLM:
    """The real model."""
    mock.script(Reply.tool_call("get_weather", city="London"), Reply.text(ANSWER))
    return mock


# How fixtures are made.


def in_the_application(folder: Path, profile: ProfileName) -> None:
    """Each run of the agent shows the next miss, which is answered."""
    session = open_session(folder)
    parser = LogParser()
    call = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": "get_weather", "arguments": ARGUMENTS},
    }
    calls = {"content": "", "tool_calls": [call], "finish_reason": "tool_calls"}
    for response in (calls, {"content": ANSWER, "finish_reason": "stop"}):
        begin = _size(folder / "server.log")
        agent(served(folder, profile))
        events = parser.feed((folder / "server.log").read_bytes()[begin:])
        session.take_log(session.intake.read(events))
        (miss,) = open_misses(session)
        draft = session.drafting.open(miss.digest)
        draft.set_text(draft.document.with_response(response).text)
        session.save(miss.digest)
    session.close()


def promoted(folder: Path, profile: ProfileName) -> None:
    """Each run of the agent shows the next miss, which is promoted."""
    log = folder / "server.log"
    for answer in (["--tool-call", "get_weather", ARGUMENTS], ["--content", ANSWER]):
        agent(served(folder, profile))
        missed = log.read_text().rpartition("unknown fixture hash ")[2][:64]
        assert main(["promote", str(log), missed, *answer]) == 0


def recorded(folder: Path, profile: ProfileName) -> None:
    """By a server that asks the real model."""
    with scripted(MockLLM(profile=profile)) as model:
        recorder = Recorder(
            Upstream(model.base_url),
            ReplySaver(FixtureStore(folder / "fixtures")),
            RecordingWriters(folder / "runs"),
            LogSink(folder / "server.log"),
        )
        assert agent(served(folder, profile, recorder=recorder), streams=True) == ANSWER


def imported(folder: Path, profile: ProfileName) -> None:
    """From what a browser or a proxy saw of the real model."""
    with scripted(MockLLM(profile=profile)) as model:
        assert agent(model) == ANSWER
        entries = [_entry(exchange) for exchange in model.exchanges]
    har = folder / "traffic.har"
    har.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    assert main(["import", str(har)]) == 0


def kept_by_the_mock(folder: Path, profile: ProfileName) -> None:
    """By ``mock_llm`` with ``--llm-record``."""
    store = FixtureStore(folder / "fixtures")
    with scripted(MockLLM(profile=profile)) as model:
        mock = MockLLM(upstream=LiveModel(model.base_url, ReplySaver(store)))
        assert agent(mock) == ANSWER


def _entry(exchange: Exchange) -> dict[str, Any]:
    sent = exchange.outcome
    assert isinstance(sent, Sent)
    content = {"mimeType": sent.content_type, "text": sent.body.decode()}
    url = "https://api.openai.com/v1/chat/completions"
    body = {"text": json.dumps(exchange.request)}
    return {
        "request": {"method": "POST", "url": url, "postData": body},
        "response": {"status": sent.status, "content": content},
    }


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


MAKERS: Final[list[Maker]] = [in_the_application, promoted, recorded, imported, kept_by_the_mock]


@pytest.fixture(scope="module", params=PROFILE_NAMES)
def made_in(request: pytest.FixtureRequest) -> ProfileName:
    """The profile of the server, or of the model, where the fixtures are made."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module", params=MAKERS, ids=lambda maker: maker.__name__)
def made(
    request: pytest.FixtureRequest,
    made_in: ProfileName,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Path]:
    """A project with the two fixtures of the conversation."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "pyproject.toml").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        request.param(folder, made_in)
        assert len(list((folder / "fixtures").glob("*.json"))) == 2
        yield folder


# Where they answer.


@pytest.mark.parametrize("streams", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_they_answer_in_workbench_serve(made: Path, profile: ProfileName, streams: bool) -> None:
    begin = _size(made / "server.log")
    assert agent(served(made, profile, strict=True), streams=streams) == ANSWER
    log = (made / "server.log").read_text()[begin:]
    assert log.count("served fixture ") == 2


@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_they_answer_in_mock_llm(made: Path, profile: ProfileName) -> None:
    mock = MockLLM(made / "fixtures", profile=profile)
    assert agent(mock) == ANSWER
    assert [call.source for call in mock.calls()] == ["fixture", "fixture"]


@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_a_run_of_them_is_replayed(made: Path, profile: ProfileName) -> None:
    """To a client that streams what was plain, so that each reply is written anew."""
    mock = MockLLM(made / "fixtures", profile="stub")
    assert agent(mock) == ANSWER
    begin = _size(made / "server.log")
    assert agent(served(made, profile, replay=mock.exchanges), streams=True) == ANSWER
    log = (made / "server.log").read_text()[begin:]
    assert log.count("replayed exchange ") == 2
    assert "differs from exchange" not in log


def test_clients_do_write_the_second_request_in_several_ways(made: Path) -> None:
    """Without that, exact digests would be enough."""
    written = set()
    for profile in ("stub", "openai"):
        mock = MockLLM(made / "fixtures", profile=profile)
        agent(mock)
        written.add(digest(mock.calls()[1].payload))
    assert len(written) == 2
