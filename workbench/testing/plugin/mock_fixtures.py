"""The pytest fixture ``mock_llm``, and what fails a test for what its mocks could not answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import pytest

from workbench.testing.plugin.item_state import state_of
from workbench.testing.plugin.project import project_of

if TYPE_CHECKING:
    from workbench.testing.mocks.errors import MockLLMError
    from workbench.testing.mocks.mock_llm import MockLLM


class Watched(Protocol):
    """A mock with the errors of requests that it could not answer."""

    @property
    def problems(self) -> list[MockLLMError]: ...


@pytest.fixture(scope="session")
def _mock_server() -> Iterator[None]:
    """One server for all tests; the first test that needs a URL starts it."""
    from workbench.testing.mocks.server import lasting

    with lasting():
        yield


@pytest.fixture
def _watched_mocks(request: pytest.FixtureRequest) -> Iterator[list[tuple[str, Watched]]]:
    """Collects mocks with their names, and fails the test if they could not answer a request."""
    mocks: list[tuple[str, Watched]] = []
    yield mocks
    is_strict = project_of(request.config).options.strict
    if not state_of(request.node).has_passed:
        return
    lines: dict[str, None] = {}  # each once
    for name, mock in mocks:
        problems = [str(p) for p in mock.problems if p.is_mistake or is_strict]
        if problems:
            lines |= dict.fromkeys([f"{name} could not answer:", *problems])
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)


@pytest.fixture
def mock_llm(
    request: pytest.FixtureRequest,
    _mock_server: None,
    _watched_mocks: list[tuple[str, Watched]],
) -> Iterator[MockLLM]:
    """A ``MockLLM`` that is fresh in each test. A request without a scripted reply is answered from
    the fixtures of the project; without a fixture it gets an error.
    """
    item, project = request.node, project_of(request.config)
    state = state_of(item)
    here = request.config.invocation_params.dir
    is_live = project.options.live and state.pass_rate is not None
    try:
        mock = project.live(item.nodeid) if is_live else project.mock(item.nodeid, here)
    except pytest.UsageError as error:  # invalid settings
        pytest.fail(str(error), pytrace=False)
    with mock:
        state.mocks.append(mock)
        _watched_mocks.append(("mock_llm", mock))
        yield mock
