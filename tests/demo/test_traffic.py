"""The sample traffic against a real server."""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import PATIENCE_SECONDS, RunningServer, wait_until
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.log.events import (
    FixtureServed,
    LogEvent,
    RequestLogged,
    UnsupportedLogged,
)
from workbench.core.log.reader import LogParser
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.demo.agents import AGENTS
from workbench.demo.sample_files import install_fixtures
from workbench.demo.traffic import TrafficReport, play, play_held

REQUESTS = 26


@contextmanager
def sample_server(folder: Path) -> Iterator[RunningServer]:
    install_fixtures(folder / "fixtures")
    with RunningServer(folder) as running:
        yield running


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    with sample_server(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[TrafficReport, RunningServer]]:
    """A server to which the traffic was sent once; only its log is read."""
    with sample_server(tmp_path_factory.mktemp("played")) as running:
        yield play(f"{running.url}/v1", pause=0), running


def logged(server: RunningServer) -> list[LogEvent]:
    return LogParser().feed(server.log().encode())


def missed(server: RunningServer) -> list[dict[str, Any]]:
    return [json.loads(e.dump) for e in logged(server) if isinstance(e, RequestLogged)]


def test_some_requests_have_fixtures_and_most_do_not(
    played: tuple[TrafficReport, RunningServer],
) -> None:
    report, server = played
    assert report.problems == []
    assert report.answered == REQUESTS
    assert report.agents == list(AGENTS)
    assert report.text == "26 requests of 11 agents"
    events = logged(server)
    assert len({e.digest for e in events if isinstance(e, FixtureServed)}) == 6
    assert server.log().count("failed to load fixture") == 1
    (unsupported,) = (e.request for e in events if isinstance(e, UnsupportedLogged))
    assert unsupported.line == "POST /v1/audio/speech"
    counts = Counter(map(digest, missed(server)))
    assert len(counts) == 17
    assert sorted(counts.values())[-3:] == [1, 2, 3]


def test_the_misses_show_what_requests_can_be(
    played: tuple[TrafficReport, RunningServer],
) -> None:
    payloads = missed(played[1])
    kinds = Counter(view(p).output_format.kind for p in payloads)
    assert kinds["json_schema"] == 3
    assert kinds["json_object"] == 1
    choices = {view(p).tool_choice.mode for p in payloads}
    assert choices == {"absent", "required", "function"}
    assert any(len(view(p).tools) == 2 for p in payloads)
    assert any(len(view(p).messages) > 8 for p in payloads)
    assert any(view(p).stream for p in payloads)
    models = {"gpt-4o", "gpt-4o-mini", "claude-sonnet-4-6", "gemini-2.5-flash"}
    assert {view(p).model for p in payloads} == models
    assert {view(p).api for p in payloads} == {"chat", "responses", "messages", "gemini"}
    assert any("+1 image" in view(p).last_user_text for p in payloads)
    text = "\n".join(view(p).prompt_text for p in payloads)
    for hostile in ("\x1b[31m", "\x1b]52;", "\x00", "\u202e", "\u2028", "[/bold]", "[[MOCK_LLM_"):
        assert hostile in text


def test_the_first_miss_is_a_tools_result_to_be_put_in_words(
    played: tuple[TrafficReport, RunningServer],
) -> None:
    first = missed(played[1])[0]
    assert view(first).turn == 2
    assert view(first).messages[-1].role == "tool"


def test_every_play_is_the_same(server: RunningServer) -> None:
    play(server.url, pause=0)
    once = missed(server)
    play(server.url, pause=0)
    assert missed(server) == once + once


def test_an_answer_changes_what_is_asked_next(server: RunningServer) -> None:
    play(server.url, pause=0)
    before = missed(server)
    assert sum(FALLBACK_TEXT in view(p).prompt_text for p in before) == 1
    plan = next(p for p in before if view(p).output_format.kind == "json_schema")
    content = '{"research_steps": [], "expert_steps": []}'
    server.write_fixture(digest(plan), {"response": {"content": content}})
    play(server.url, pause=0)
    after = missed(server)[len(before) :]
    assert not any(FALLBACK_TEXT in view(p).prompt_text for p in after)


def test_a_promoted_call_brings_the_next_turn(server: RunningServer) -> None:
    play(server.url, pause=0)
    before = missed(server)
    lamb = next(p for p in before if "lamb" in view(p).last_user_text)
    function = {"name": "search_wines", "arguments": '{"query": "lamb", "max_price": 30}'}
    call = {"index": 0, "id": "call_1", "type": "function", "function": function}
    response = {"content": "", "tool_calls": [call], "finish_reason": "tool_calls"}
    server.write_fixture(digest(lamb), {"response": response})
    play(server.url, pause=0)
    after = missed(server)[len(before) :]
    turns = [p for p in after if "lamb" in view(p).last_user_text]
    assert [view(p).turn for p in turns] == [2]
    assert "Saint-Émilion" in view(turns[0]).messages[-1].text


def test_a_server_that_is_not_there_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    report = play(f"http://127.0.0.1:{port}/v1")
    assert report.answered == 0
    (problem,) = report.problems
    assert f"127.0.0.1:{port} does not answer" in problem


def test_a_server_that_refuses_is_reported_by_every_agent(server: RunningServer) -> None:
    report = play(f"{server.url}/__workbench", pause=0)
    assert report.answered == 0
    assert len(report.problems) == len(AGENTS)
    assert "answers 404" in report.problems[0]


def test_an_answer_nobody_can_use_ends_that_agent_alone(server: RunningServer) -> None:
    play(server.url, pause=0)
    lisbon = next(p for p in missed(server) if "Lisbon" in view(p).last_user_text)
    response = {"content": "", "tool_calls": "none"}
    server.write_fixture(digest(lisbon), {"response": response})
    report = play(server.url, pause=0)
    assert len(report.problems) == 1
    assert report.problems[0].startswith("weather assistant")
    assert len(report.agents) == len(AGENTS)


def test_an_agent_waits_for_answers_until_the_server_gives_up_or_ends(
    server: RunningServer,
) -> None:
    server.request("PUT", "/__workbench/hold", b'{"timeout_s": 0.1}')
    play_held(server.url)
    first, second = missed(server)
    assert view(first).last_user_text == "Is A Field Guide to Clouds in stock?"
    assert FALLBACK_TEXT in view(second).prompt_text

    server.request("PUT", "/__workbench/hold", b'{"timeout_s": 300}')
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(play_held, server.url)
        wait_until("it waits", lambda: server.request("GET", "/__workbench/held").json())
        assert not waiting.done()
        server.process.terminate()
        assert waiting.result(PATIENCE_SECONDS) is None


def test_nothing_waits_for_a_server_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    play_held(f"http://127.0.0.1:{port}")
