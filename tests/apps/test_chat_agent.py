"""The sample chat agent against a real server with the project's own fixtures."""

from __future__ import annotations

import base64
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI

from tests.apps.chat_agent.__main__ import main
from tests.apps.chat_agent.agent import AgentError, ChatAgent, Plan
from tests.cases import each_case
from tests.server.running import RunningServer
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture import rules
from workbench.core.fixture.document import FixtureDocument
from workbench.core.log.events import FixtureServed, LogEvent, MissLogged, RequestLogged
from workbench.core.log.reader import LogParser
from workbench.core.replies.response import FALLBACK_TEXT

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
DIGESTS = sorted(path.stem for path in FIXTURES.glob("*.json"))

CONVERSATIONS = {
    "one city, then another": {
        "weather in London?": "It is 12 °C and raining in London.",
        "And is Paris warmer?": "Yes: Paris has 17 °C under clouds, five degrees more than London.",
    },
    "two calls at once": {
        "Lisbon or Oslo: where is it warmer, in Fahrenheit?": (
            "Lisbon: 70 °F and a clear sky. In Oslo it is 39 °F, and it snows."
        ),
    },
    "a tool that fails": {"weather in Atlantis?": "I found no weather station in Atlantis."},
    "plain text": {
        "tell me a joke": "A stub walks into a bar. The barman says: “I know that one.”"
    },
    "cut off": {
        "tell me a long story": (
            "Once upon a time there was a server that had an answer for everything it had been "
            "asked before. One day somebody asked it […]"
        ),
    },
}
GOAL = "learn to sail"
PLAN = Plan(
    goal="learn to sail",
    steps=[
        "Book a weekend course.",
        "Learn the knots: bowline, cleat hitch, figure eight.",
        "Sail as crew before sailing alone.",
    ],
)
PLACE = "the city of light"
FOUND = {"city": "Paris", "degrees": 17, "unit": "c", "sky": "cloudy"}


class Site:
    """A server with a client for it, and what it logged since the last look."""

    def __init__(self, server: RunningServer, client: OpenAI) -> None:
        self.fixtures = server.fixtures
        self.base_url = f"{server.url}/v1"
        self._server = server
        self._client = client
        self._seen = server.log_size()

    def agent(self, *, stream: bool = False, max_turns: int = 5) -> ChatAgent:
        return ChatAgent(self._client, stream=stream, max_turns=max_turns)

    def logged(self) -> list[LogEvent]:
        """The events since the last look. A reply is sent when its lines are in the log."""
        events = LogParser().feed(self._server.log(self._seen).encode())
        self._seen = self._server.log_size()
        return events


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningServer, OpenAI]]:
    """One server for all tests here, on a copy of the fixtures, so that a test may take one out."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(FIXTURES, folder / "fixtures")
    with (
        RunningServer(folder) as server,
        OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client,
    ):
        client.models.list()  # its log begins with the line of the start
        yield server, client


@pytest.fixture
def site(running: tuple[RunningServer, OpenAI]) -> Site:
    return Site(*running)


def misses(events: list[LogEvent]) -> list[str]:
    return [e.digest for e in events if isinstance(e, MissLogged)]


def converse(site: Site) -> list[Any]:
    """Everything the agent can be asked; its answers, and an error where one cannot be used."""
    answers: list[Any] = []
    for talk in CONVERSATIONS.values():
        agent = site.agent()
        answers += [agent.ask(question) for question in talk]
    for structured in (lambda: site.agent().plan(GOAL), lambda: site.agent().look_up(PLACE)):
        try:
            answers.append(structured())
        except AgentError as error:
            answers.append(error)
    return answers


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("talk", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_each_question_gets_its_answer_from_a_fixture(
    site: Site, talk: dict[str, str], stream: bool
) -> None:
    agent = site.agent(stream=stream)
    for question, answer in talk.items():
        assert agent.ask(question) == answer
    turns = sum(message["role"] == "assistant" for message in agent.messages)
    events = site.logged()
    assert misses(events) == []
    assert sum(isinstance(e, FixtureServed) for e in events) == turns


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_structured_output_and_a_forced_call(site: Site, stream: bool) -> None:
    agent = site.agent(stream=stream)
    assert agent.plan(GOAL) == PLAN
    assert json.loads(agent.look_up(PLACE)) == FOUND
    assert misses(site.logged()) == []


@pytest.mark.parametrize("talk", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_streams_leave_the_same_conversation_as_plain_answers(
    site: Site, talk: dict[str, str]
) -> None:
    plain, streamed = site.agent(stream=False), site.agent(stream=True)
    for question in talk:
        assert plain.ask(question) == streamed.ask(question)
    assert plain.messages == streamed.messages
    assert all(call["id"] for m in plain.messages for call in m.get("tool_calls", []))


def test_the_tool_is_run_with_what_the_model_says(site: Site) -> None:
    agent = site.agent()
    agent.ask("Lisbon or Oslo: where is it warmer, in Fahrenheit?")
    agent.ask("weather in Atlantis?")
    results = [m["content"] for m in agent.messages if m["role"] == "tool"]
    assert [json.loads(r) for r in results[:2]] == [
        {"city": "Lisbon", "degrees": 70, "unit": "f", "sky": "clear"},
        {"city": "Oslo", "degrees": 39, "unit": "f", "sky": "snow"},
    ]


def test_the_agent_uses_every_fixture(site: Site) -> None:
    converse(site)
    served = {e.digest for e in site.logged() if isinstance(e, FixtureServed)}
    assert served == set(DIGESTS)


@pytest.mark.parametrize("digest_", DIGESTS, ids=lambda d: d[:12])
def test_without_a_fixture_its_request_is_the_miss(site: Site, digest_: str) -> None:
    file = site.fixtures / f"{digest_}.json"
    kept = file.read_bytes()
    file.unlink()
    try:
        answers = converse(site)
    finally:
        file.write_bytes(kept)
    assert FALLBACK_TEXT in answers or any(isinstance(a, AgentError) for a in answers)
    events = site.logged()
    first, *later = [json.loads(e.dump) for e in events if isinstance(e, RequestLogged)]
    assert misses(events) == [digest_, *map(digest, later)]
    assert digest(first) == digest_
    # Others miss only because they quote the answer that was none.
    assert all(FALLBACK_TEXT in view(payload).prompt_text for payload in later)


def test_the_fixtures_break_no_rule() -> None:
    assert len(DIGESTS) == 12
    for path in FIXTURES.glob("*.json"):
        assert rules.check(path.read_bytes(), rules.Context(filename=path.name)) == [], path


@each_case("digest_", DIGESTS)
def test_fixtures_name_what_they_answer(digest_: str) -> None:
    document = FixtureDocument((FIXTURES / f"{digest_}.json").read_bytes().decode())
    assert list(document.value) == [
        "request_digest", "description", "response", "request", "workbench",
    ]  # fmt: skip
    assert document.value["request_digest"] == digest_
    assert digest(document.request or {}) == digest_
    assert FALLBACK_TEXT not in document.text
    for number, call in enumerate(document.response.get("tool_calls", [])):
        assert call["index"] == number
        assert call["id"] == f"call_{digest_[:8]}" + (f"_{number}" if number else "")


def endless(frames: str) -> str:
    """A question that the server always answers with a call of the tool."""
    arguments = base64.urlsafe_b64encode(b'{"city": "Oslo"}').decode()
    return f"[[MOCK_LLM_TOOLCALL:get_weather:{frames}:{arguments}]]"


@pytest.mark.parametrize(("stream", "frames"), [(False, "once"), (True, "once"), (True, "delta")])
def test_an_agent_that_only_calls_tools_gives_up(site: Site, stream: bool, frames: str) -> None:
    agent = site.agent(stream=stream, max_turns=2)
    with pytest.raises(AgentError, match="no answer in 2 turns"):
        agent.ask(endless(frames))
    results = [json.loads(m["content"]) for m in agent.messages if m["role"] == "tool"]
    assert [result["city"] for result in results] == ["Oslo", "Oslo"]


def test_arguments_that_are_cut_are_told_to_the_model(site: Site) -> None:
    agent = site.agent(stream=True, max_turns=1)
    with pytest.raises(AgentError):
        agent.ask(endless("truncated"))
    assert agent.messages[-1]["content"].startswith("ERROR: ")


@pytest.mark.parametrize("flags", [[], ["--stream"]], ids=["plain", "stream"])
def test_from_the_command_line(
    site: Site,
    flags: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    talk = CONVERSATIONS["one city, then another"]
    monkeypatch.setattr(sys, "argv", ["chat_agent", *flags, *talk])
    monkeypatch.setenv("OPENAI_BASE_URL", site.base_url)
    assert main() == 0
    printed = capsys.readouterr()
    assert (printed.out.splitlines(), printed.err) == (list(talk.values()), "")
