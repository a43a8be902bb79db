"""Rows 32 and 33: a suite of 500 tests with two requests each, answered by us and by respx."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.place import WORKBENCH, Place
from tests.benchmarks.table import NotMeasuredError, Row
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document

TESTS = 500
QUESTIONS = ("first", "second")
ANSWER = "It is fine."
PLUGINS = {"respx": "respx.plugin", "xdist": "xdist", "workbench": "workbench.testing.plugin"}

# One client for all tests, as applications have it.
_SHARED = """
import httpx, pytest
from openai import OpenAI

shared = OpenAI(base_url={url!r}, api_key="x", http_client=httpx.Client())
"""
_TEST = f"""
import pytest

@pytest.mark.parametrize("number", range({TESTS}))
def test_two_requests(client, number):
    for question in {QUESTIONS}:
        message = {{"role": "user", "content": f"the {{question}} of {{number}}"}}
        reply = client.chat.completions.create(model="gpt-4o", messages=[message])
        assert reply.choices[0].message.content == {ANSWER!r}
"""
_RESPX = f"""
COMPLETION = {{
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1763571753, "model": "gpt-4o",
    "choices": [
        {{
            "index": 0,
            "finish_reason": "stop",
            "message": {{"role": "assistant", "content": {ANSWER!r}}},
        }}
    ],
}}

@pytest.fixture
def client(respx_mock):
    respx_mock.post("http://mock/v1/chat/completions").respond(json=COMPLETION)
    return shared
"""
_MOCK = f"""
from workbench.testing import Reply

@pytest.fixture
def client(mock_llm):
    mock_llm.script(Reply.text({ANSWER!r}), Reply.text({ANSWER!r}))
    return shared.with_options({{option}})
"""
_TRANSPORT = _MOCK.format(option="http_client=httpx.Client(transport=mock_llm.transport())")
_SERVER = _MOCK.format(option="base_url=mock_llm.base_url")
_FIXTURES = """
@pytest.fixture
def client():
    return shared
"""


def by_respx(place: Place, workers: int = 0) -> float:
    return _run(_project(place, "respx", _RESPX), _pytest("respx", workers))


def by_mock(conftest: str, place: Place, workers: int = 0) -> float:
    return _run(_project(place, "mock", conftest), _pytest("workbench", workers))


def by_fixtures(place: Place, workers: int = 0) -> float:
    """The whole command, which also starts the server."""
    project = _project(place, "fixtures", _FIXTURES, url=None)
    for number in range(TESTS):
        for question in QUESTIONS:
            message = {"role": "user", "content": f"the {question} of {number}"}
            payload = {"model": "gpt-4o", "messages": [message]}
            name = digest(payload)
            text = new_document(name, {"content": ANSWER}, request=payload).text
            (project / "fixtures" / f"{name}.json").write_text(text, "utf-8")
    return _run(project, [WORKBENCH, "run", "--no-tui", "--", *_pytest("workbench", workers)])


def _project(place: Place, name: str, conftest: str, url: str | None = "http://mock/v1") -> Path:
    project = place.project(f"suite-{name}")
    (project / "conftest.py").write_text(_SHARED.format(url=url) + conftest, "utf-8")
    (project / "test_suite.py").write_text(_TEST, "utf-8")
    return project


def _pytest(plugin: str, workers: int) -> list[str]:
    plugins = ["-p", PLUGINS[plugin]]
    if workers:
        plugins += ["-p", PLUGINS["xdist"], "-n", str(workers)]
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins]


def _run(project: Path, command: list[str]) -> float:
    """How long a command takes that runs all tests of a project, in seconds."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    begun = time.perf_counter()
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    taken = time.perf_counter() - begun
    if done.returncode or f"{TESTS} passed" not in done.stdout:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:]
        raise NotMeasuredError(f"{command[0]}: {' '.join(last)}")
    return taken


WAYS: dict[str, Callable[..., float]] = {
    "transport": partial(by_mock, _TRANSPORT),
    "mock_llm's server": partial(by_mock, _SERVER),
    "workbench run": by_fixtures,
}


def _rows(number: int, what: str, workers: int) -> Iterator[Row]:
    for name, way in WAYS.items():
        ours, theirs = partial(way, workers=workers), partial(by_respx, workers=workers)
        yield Row(number, f"{what}, {name}", "respx", 1, ours, theirs, "s")


ROWS = [*_rows(32, f"{TESTS} tests", 0), *_rows(33, "the same with -n 2", 2)]
