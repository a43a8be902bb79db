"""What a type checker sees of the public functions; mypy reads ``assert_type``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import assert_type

import httpx
import httpx2

from workbench.testing import (
    AgentCall,
    MockLLM,
    Reply,
    SyncAgentCall,
    agent_mock,
    combine,
    run_transport,
)
from workbench.testing.mocks.transport import Transport
from workbench.testing.recordings.recorded_http import RunTransport

Either = AgentCall | SyncAgentCall


def test_a_transport_fits_the_clients_of_both_libraries() -> None:
    transport = assert_type(MockLLM().transport(), Transport)
    recording = assert_type(run_transport(), RunTransport)

    async def close(each: Transport | RunTransport) -> None:
        await httpx.AsyncClient(transport=each).aclose()
        await httpx2.AsyncClient(transport=each).aclose()

    for each in (transport, recording):
        httpx.Client(transport=each).close()
        httpx2.Client(transport=each).close()
        asyncio.run(close(each))


def test_agent_mocks_are_pytest_fixtures_of_calls() -> None:
    planner = agent_mock("json.dumps", Reply.text("x"))
    assert_type(planner, Callable[..., Iterator[Either]])
    assert_type(combine(planner=planner), Callable[..., Iterator[dict[str, Either]]])
