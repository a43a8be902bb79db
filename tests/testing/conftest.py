"""A mock with clients of every kind."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import httpx2
import pytest
from openai import OpenAI

from tests.testing.support import client_of
from workbench.testing import MockLLM


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
