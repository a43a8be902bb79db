"""One server for the tests of a module, a client of it, and what no test may do to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from openai import OpenAI

from tests.server.running import RunningServer
from workbench.core.replies.profile_names import ProfileName


@pytest.fixture(scope="module")
def profile() -> ProfileName | None:
    """How the server is told to write; a module that looks at all profiles has its own of this."""
    return None


@pytest.fixture(scope="module")
def server(
    profile: ProfileName | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """Its fixtures stay from test to test: each writes those of digests of its own."""
    arguments = ("--profile", profile) if profile else ()
    with RunningServer(tmp_path_factory.mktemp("server"), arguments=arguments) as running:
        yield running


@pytest.fixture(scope="module")
def openai_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One that writes as the OpenAI API does."""
    folder = tmp_path_factory.mktemp("openai")
    with RunningServer(folder, arguments=("--profile", "openai")) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: RunningServer) -> Iterator[OpenAI]:
    """The official client, which does not try again."""
    with OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0) as made:
        yield made


@pytest.fixture
def server_is_none_the_worse(server: RunningServer) -> Iterator[None]:
    """The server answers after the test, and none of its code failed in it."""
    before = server.log_size()
    yield
    assert server.request("GET", "/healthz").status == 200
    assert server.process.poll() is None
    assert "Traceback" not in server.log(before)
