"""A fixture made in any part of the product, over any API, answers in every other part and over
every other API, whatever the profile.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest

from tests.raw_agents import AGENTS, ANSWER, BOTH, PLAIN, TURNS, Call, Chat, Ollama, RawAgent, run
from tests.server.running import RunningServer
from tests.session.support import open_session
from workbench.cli.main import main
from workbench.core.apis.table import api_of, view
from workbench.core.json.values import compact
from workbench.core.log.reader import LogParser
from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.core.requests.view import RequestView
from workbench.io.fixture.reply_saver import ReplySaver
from workbench.io.fixture.store import FixtureStore
from workbench.server.app import StubApp
from workbench.server.log import LogSink
from workbench.server.wire.delays import Delays
from workbench.session.misses.states import open_misses
from workbench.testing import MockLLM, Reply
from workbench.testing.mocks.calls import Call as MockCall
from workbench.testing.mocks.live import LiveModel
from workbench.testing.mocks.project_mock import ProjectMock

MAKING_AGENTS: Final = [agent for agent in AGENTS if agent.name != "bedrock invoke"]
REQUEST: Final = "[mock-llm] request: "


class Place(NamedTuple):
    """Servers that share a folder of fixtures, one in each profile, and real models that they do
    not know.
    """

    folder: Path
    client: httpx.Client
    servers: dict[ProfileName, RunningServer]
    models: dict[ProfileName, MockLLM]
    recorders: dict[ProfileName, RunningServer]

    @property
    def fixtures(self) -> Path:
        return self.folder / "fixtures"

    def asked(
        self, profile: ProfileName, agent: RawAgent, model: str, **more: Any
    ) -> tuple[str, str]:
        """The answer of an agent's last turn, and the log of the server meanwhile."""
        server = self.servers[profile]
        before = server.log_size()
        answer = run(self.client, agent, model, root=server.url, **more)
        return answer, server.log(before)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("everywhere")
    (folder / "pyproject.toml").touch()
    fixtures = folder / "fixtures"
    with ExitStack() as stack:
        place = Place(folder, stack.enter_context(httpx.Client(trust_env=False)), {}, {}, {})

        def started(name: str, *arguments: str) -> RunningServer:
            (folder / name).mkdir()
            server = RunningServer(
                folder / name, fixtures=fixtures, arguments=arguments, working_folder=folder
            )
            return stack.enter_context(server)

        for profile in PROFILE_NAMES:
            model = stack.enter_context(MockLLM(profile=profile))
            model.respond(as_the_model)
            place.models[profile] = model
            place.servers[profile] = started(profile, "--profile", profile)
            place.recorders[profile] = started(
                f"recorder-{profile}", "--record", "--upstream", model.base_url
            )
        yield place


def turn_of(request: RequestView) -> int:
    """Which turn of the conversation is asked for, from 0."""
    return sum(bool(message.tool_calls) for message in request.messages)


def as_the_model(call: MockCall) -> Reply:
    turn = turn_of(view(call.payload))
    if turn == len(TURNS):
        return Reply.text(ANSWER)
    cities = TURNS[turn]
    return Reply.tool_calls([{"name": "get_weather", "arguments": {"city": c}} for c in cities])


# How fixtures are made.

Maker = Callable[[Place, ProfileName, RawAgent, str], None]


def in_the_application(place: Place, profile: ProfileName, agent: RawAgent, model: str) -> None:
    """Each run of the agent shows the next miss, which is answered."""
    session = open_session(place.folder)
    count = 0
    for cities in (*TURNS, ()):
        _, log = place.asked(profile, agent, model)
        session.take_log(session.intake.read(LogParser().feed(log.encode())))
        (miss,) = open_misses(session)
        calls = []
        for city in cities:
            count += 1  # as a person numbers them
            function = {"name": "get_weather", "arguments": compact({"city": city})}
            calls.append({"id": f"call_{count}", "type": "function", "function": function})
        response: dict[str, Any] = {"content": ANSWER, "finish_reason": "stop"}
        if calls:
            response = {"content": "", "tool_calls": calls, "finish_reason": "tool_calls"}
        draft = session.drafting.open(miss.digest)
        draft.set_text(draft.document.with_response(response).text)
        session.save(miss.digest)
    session.close()


def promoted(place: Place, profile: ProfileName, agent: RawAgent, model: str) -> None:
    """Each run of the agent shows the next miss, which is promoted."""
    for cities in (*TURNS, ()):
        _, log = place.asked(profile, agent, model)
        dumps = {line for line in log.split("\n") if line.startswith(REQUEST)}
        digests = {view(json.loads(dump.removeprefix(REQUEST))).digest for dump in dumps}
        (digest,) = digests
        answer = [
            word
            for city in cities
            for word in ("--tool-call", "get_weather", compact({"city": city}))
        ] or ["--content", ANSWER]
        path = place.servers[profile].log_path
        options = ["--fixtures", str(place.fixtures)]
        assert main(["promote", str(path), digest, *options, *answer]) == 0


def recorded(place: Place, profile: ProfileName, agent: RawAgent, model: str) -> None:
    """By a server that asks the real model."""
    recorder = place.recorders[profile]
    assert run(place.client, agent, model, root=recorder.url) == ANSWER


def imported(place: Place, profile: ProfileName, agent: RawAgent, model: str) -> None:
    """From what a browser or a proxy saw of the real model."""
    real = MockLLM(profile=profile)
    real.respond(as_the_model)
    with httpx.Client(transport=real.transport(), base_url="http://model") as client:
        assert run(client, agent, model, forms=PLAIN) == ANSWER
    har = place.folder / f"{model}.har"
    entries = [_entry(exchange) for exchange in real.exchanges]
    har.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    assert main(["import", str(har), "--fixtures", str(place.fixtures)]) == 0


def kept_by_the_mock(place: Place, profile: ProfileName, agent: RawAgent, model: str) -> None:
    """By ``mock_llm`` with ``--llm-record``."""
    saver = ReplySaver(FixtureStore(place.fixtures))
    mock = ProjectMock(upstream=LiveModel(place.models[profile].base_url, saver))
    with httpx.Client(transport=mock.transport(), base_url="http://model") as client:
        assert run(client, agent, model) == ANSWER


def _entry(exchange: Exchange) -> dict[str, Any]:
    sent = exchange.outcome
    assert isinstance(sent, Sent)
    api = api_of(exchange.payload)
    path, body = api.request.target(exchange.payload)
    content = {
        "mimeType": sent.content_type,
        "text": base64.b64encode(sent.body).decode(),
        "encoding": "base64",
    }
    url = f"https://api.example.com{path}"
    posted = {"text": json.dumps(body)}
    return {
        "request": {"method": "POST", "url": url, "postData": posted},
        "response": {"status": sent.status, "content": content},
    }


MAKERS: Final[list[Maker]] = [in_the_application, promoted, recorded, imported, kept_by_the_mock]


class Made(NamedTuple):
    """The fixtures of one conversation.

    Attributes:
        model: its name tells the conversation from others.
        profile: of the server, or of the model, where they were made.
    """

    agent: RawAgent
    model: str
    profile: ProfileName


@pytest.fixture(scope="module", params=PROFILE_NAMES)
def made_in(request: pytest.FixtureRequest) -> ProfileName:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module", params=MAKING_AGENTS, ids=lambda agent: agent.name)
def maker_agent(request: pytest.FixtureRequest) -> RawAgent:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module", params=MAKERS, ids=lambda maker: maker.__name__)
def made(
    request: pytest.FixtureRequest, place: Place, maker_agent: RawAgent, made_in: ProfileName
) -> Made:
    name = f"{request.param.__name__}-{maker_agent.name}-{made_in}".replace(" ", "-")
    before = len(list(place.fixtures.glob("*.json")))
    request.param(place, made_in, maker_agent, name)
    assert len(list(place.fixtures.glob("*.json"))) == before + len(TURNS) + 1
    return Made(maker_agent, name, made_in)


# Where they answer.


@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_they_answer_over_every_api(place: Place, made: Made, profile: ProfileName) -> None:
    # Streams and plain replies come from one answer: half of the cells try both.
    forms = BOTH if made.profile == "openai" else PLAIN
    mock = MockLLM(place.fixtures, profile=profile)
    with httpx.Client(transport=mock.transport(), base_url="http://mock") as client:
        for agent in AGENTS:
            if agent.api == "chat" or profile == made.profile:  # other replies have one form
                answer, log = place.asked(profile, agent, made.model, forms=forms)
                assert (answer, log.count("unknown fixture hash")) == (ANSWER, 0), agent.name
                assert run(client, agent, made.model, forms=PLAIN) == ANSWER, agent.name


def exchanged(calls: list[Call]) -> dict[Call, str]:
    """The outputs of two calls, each as that of the other."""
    cities = [call.city for call in calls]
    return {call: f"sun in {city}" for call, city in zip(calls, cities[::-1], strict=True)}


def test_outputs_of_other_calls_are_another_conversation(place: Place, made: Made) -> None:
    asking = Chat() if made.profile == "stub" else Ollama()
    how: Any = {"forms": PLAIN, "outputs": exchanged}
    answer, log = place.asked(made.profile, asking, made.model, **how)
    assert (answer, log.count("unknown fixture hash")) == (FALLBACK_TEXT, 1)


@pytest.mark.parametrize("profile", PROFILE_NAMES)
@pytest.mark.parametrize("recording", AGENTS, ids=lambda agent: agent.name)
def test_what_one_api_recorded_is_replayed_over_every_api(
    tmp_path: Path, recording: RawAgent, profile: ProfileName
) -> None:
    real = MockLLM(profile=profile)
    real.respond(as_the_model)
    with httpx.Client(transport=real.transport(), base_url="http://model") as client:
        run(client, recording, "m", forms=PLAIN)
    for agent in AGENTS:
        log = tmp_path / f"{agent.name}.log"
        store = FixtureStore(tmp_path / "fixtures")
        replay = StubApp(store, profile, Delays(), LogSink(log), replay=real.exchanges)
        with httpx.Client(transport=InProcess(replay), base_url="http://stub") as client:
            assert run(client, agent, "m", forms=PLAIN) == ANSWER, agent.name
        assert log.read_text().count("replayed exchange ") == len(TURNS) + 1
        assert "differs from exchange" not in log.read_text(), agent.name


class InProcess(httpx.BaseTransport):
    """Asks a server without a socket."""

    def __init__(self, app: StubApp) -> None:
        self._runner = asyncio.Runner()
        self._transport = httpx.ASGITransport(app)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._runner.run(self._ask(request))

    async def _ask(self, request: httpx.Request) -> httpx.Response:
        reply = await self._transport.handle_async_request(request)
        return httpx.Response(reply.status_code, headers=reply.headers, content=await reply.aread())

    def close(self) -> None:
        self._runner.close()


def test_clients_do_write_the_second_request_in_several_ways(place: Place) -> None:
    """Without that, exact digests would be enough."""
    written = set()
    for model in place.models.values():
        mock = ProjectMock(upstream=LiveModel(model.base_url))
        with httpx.Client(transport=mock.transport(), base_url="http://model") as client:
            for agent in AGENTS:
                run(client, agent, "m", forms=PLAIN)
        written |= {view(call.payload).digest for call in mock.calls()}
    assert len(written) >= 2 * (len(TURNS) + 1)
