"""A mock with all kinds of clients, and a recorded interview."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

# httpx imports it at its first request. If that were in a run of pytest inside a test, which takes
# the modules it imported out again, httpx would know the errors of a copy that nobody else has.
import httpcore  # noqa: F401
import httpx
import httpx2
import pytest
from openai import OpenAI

from tests.apps.interview import brewery
from tests.apps.interview.interview import Interview
from tests.testing.support import client_of, nobody
from workbench.testing import Checkpointer, MockLLM, Reply, Run


@pytest.fixture
def mock(_mock_server: None) -> Iterator[MockLLM]:
    """A mock whose problems are what a test is about: unlike those of ``mock_llm`` they fail
    nothing by themselves.
    """
    with MockLLM() as mock:
        yield mock


@pytest.fixture(params=["http", "httpx2", "httpx"])
def client(request: pytest.FixtureRequest, mock: MockLLM) -> Iterator[OpenAI]:
    """The official client over a real socket, and through a transport of each library (T25)."""
    libraries = {"httpx": httpx.Client, "httpx2": httpx2.Client}
    if request.param == "http":
        client = client_of(mock)
    else:
        http = libraries[request.param](transport=mock.transport())
        client = client_of(mock, base_url="http://stub/v1", http_client=http)
    with client:
        yield client


@pytest.fixture
def model() -> Iterator[MockLLM]:
    with MockLLM() as mock:
        mock.script(lambda request: Reply.text(brewery.reply(request.payload)), repeat_last=True)
        yield mock


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an interview of four iterations, recorded once."""
    folder = tmp_path_factory.mktemp("recording")
    checkpoints = Checkpointer(folder / "checkpoints", "sur-craft-beer", "data/orm", enabled=True)
    with MockLLM() as model, Run.record("interview", folder=folder / "runs"):
        model.script(lambda request: Reply.text(brewery.reply(request.payload)), repeat_last=True)
        interview = Interview(model.base_url, brewery.answer)
        state = interview.run(checkpoints)
        interview.close()
    assert state["complete"]
    return folder


@pytest.fixture
def checkpoints(tmp_path: Path, recording: Path) -> Checkpointer:
    """The checkpoints of the recorded interview, copied for the test."""
    shutil.copytree(recording, tmp_path, dirs_exist_ok=True)
    return Checkpointer(tmp_path / "checkpoints", "sur-craft-beer", "data/orm", enabled=True)


@pytest.fixture
def run(checkpoints: Checkpointer, tmp_path: Path) -> Run:  # noqa: ARG001  # it has the copy made
    return Run.load("interview", folder=tmp_path / "runs")


@pytest.fixture
def offline() -> Iterator[Interview]:
    """The interview without any live calls."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    interview = Interview(f"http://127.0.0.1:{port}/v1", nobody)
    yield interview
    interview.close()
