"""One server for the tests of a module, and what none of them may do to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.running import RunningServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Its fixtures stay from test to test: each writes those of digests of its own."""
    with RunningServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def openai_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One that writes as the OpenAI API does."""
    folder = tmp_path_factory.mktemp("openai")
    with RunningServer(folder, arguments=("--profile", "openai")) as running:
        yield running


@pytest.fixture
def server_is_none_the_worse(server: RunningServer) -> Iterator[None]:
    """The server answers after the test, and none of its code failed in it."""
    before = server.log_size()
    yield
    assert server.request("GET", "/healthz").status == 200
    assert server.process.poll() is None
    assert "Traceback" not in server.log(before)
