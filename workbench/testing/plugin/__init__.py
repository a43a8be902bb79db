"""The pytest plugin: options, marks, ``mock_llm``, repeated evals, skips for missing backends.

Every project in an environment that has the package loads it. So it must not touch what does not
use it, and must load quickly.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

from workbench.testing.evals.golden import RUN, GoldenQuery, duplicates, run_id
from workbench.testing.plugin import options, running
from workbench.testing.plugin.marks import BadMarkError, pass_rate
from workbench.testing.plugin.project import Project
from workbench.testing.plugin.reporting import ATTRIBUTE, Reported, Reporter
from workbench.testing.plugin.timeouts import Timeouts

if TYPE_CHECKING:
    from workbench.testing.evals.results import EvalFound
    from workbench.testing.evals.spies import Observed
    from workbench.testing.mocks.errors import MockLLMError
    from workbench.testing.mocks.mock_llm import MockLLM

NEEDS_LIVE: Final = "an eval of a real backend: add --llm-live"


@dataclass(slots=True)
class ItemState:
    """What the plugin does with a test, and what came of it.

    Attributes:
        pass_rate: the part of an eval's runs that must pass; None for other tests.
        missing: why the backend that it requires is missing, if so.
        mistake: what is wrong with its marks or its golden query; it fails the test. (An error of
            the whole session would end pytest-xdist's workers with a traceback.)
        mocks: those that it asked for.
        observed: what it did, if it is an eval.
    """

    pass_rate: float | None = None
    missing: str | None = None
    mistake: str | None = None
    mocks: list[MockLLM] = field(default_factory=list)
    observed: Observed | None = None
    has_passed: bool = False


class Watched(Protocol):
    """A mock that says what it could not answer."""

    @property
    def problems(self) -> list[MockLLMError]: ...


_project_key = pytest.StashKey[Project]()
_state_key = pytest.StashKey[ItemState]()


def _state(item: pytest.Item) -> ItemState:
    return item.stash.setdefault(_state_key, ItemState())


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the options where a conftest.py loads the plugin, too late for the next hook."""
    names = (name for name, _ in pluginmanager.list_name_plugin())
    if any(name.endswith("conftest.py") for name in names):
        options.add(parser)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Generator[None, Any, Any]:
    """Add the options after those of all other plugins and of the project, which stay theirs.

    A conftest.py may make clients, so their base URLs are set before.
    """
    running.name_base_urls(os.environ)
    result = yield
    options.add(parser)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Report in one line that a conftest.py has an option of ours, where pytest meets the file too
    late for its options, instead of a traceback.
    """
    report = yield
    if report.failed and (option := options.in_conflict(report.longreprtext)):
        folder = collector.nodeid
        report.longrepr = (
            f"{folder}/conftest.py defines {option}, which the plugin workbench has. pytest takes "
            f"options of this file only where its folder is named: pytest {folder}. Rename the "
            "option, or turn the plugin off: -p no:workbench"
        )
    return report


def pytest_configure(config: pytest.Config) -> None:
    project = Project(config.rootpath, options.Options.read(config))
    project.marks.register(config)
    config.stash[_project_key] = project
    if server := running.server(os.environ):
        config.pluginmanager.register(server, "workbench-running")
        config.pluginmanager.register(Timeouts(server), "workbench-timeouts")
    if not hasattr(config, "workerinput"):  # of pytest-xdist
        config.pluginmanager.register(Reporter(config, project), "workbench-reporter")


@pytest.fixture(scope="session")
def _mock_server() -> Iterator[None]:
    """One server for all tests; the first that asks for a URL starts it."""
    from workbench.testing.mocks.server import lasting

    with lasting():
        yield


@pytest.fixture
def _watched_mocks(request: pytest.FixtureRequest) -> Iterator[list[tuple[str, Watched]]]:
    """Takes mocks, each with its name; at the end fails the test for what they could not answer."""
    mocks: list[tuple[str, Watched]] = []
    yield mocks
    is_strict = request.config.stash[_project_key].options.strict
    if not _state(request.node).has_passed:
        return
    said: dict[str, None] = {}
    for name, mock in mocks:
        problems = [str(p) for p in mock.problems if p.is_mistake or is_strict]
        if problems:
            said |= dict.fromkeys([f"{name} could not answer:", *problems])
    if said:
        pytest.fail("\n".join(said), pytrace=False)


@pytest.fixture
def mock_llm(
    request: pytest.FixtureRequest,
    _mock_server: None,
    _watched_mocks: list[tuple[str, Watched]],
) -> Iterator[MockLLM]:
    """A model that answers what the test scripts: strict, and fresh for each test."""
    item, project = request.node, request.config.stash[_project_key]
    state = _state(item)
    is_live = project.options.live and state.pass_rate is not None
    try:
        mock = project.live(item.nodeid) if is_live else project.mock(item.nodeid)
    except pytest.UsageError as error:  # invalid settings
        pytest.fail(str(error), pytrace=False)
    with mock:
        state.mocks.append(mock)
        _watched_mocks.append(("mock_llm", mock))
        yield mock


# Evals.


def pytest_make_parametrize_id(val: object) -> str | None:
    return val.id if isinstance(val, GoldenQuery) else None


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    project = metafunc.config.stash[_project_key]
    count = project.options.repeat
    if count > 1 and project.marks.eval(metafunc.definition):
        if RUN not in metafunc.fixturenames:
            metafunc.fixturenames.append(RUN)
        metafunc.parametrize(RUN, range(1, count + 1), ids=run_id, indirect=True)


@pytest.fixture
def llm_run(request: pytest.FixtureRequest) -> int:
    """The number of this run of an eval, from 1."""
    return getattr(request, "param", 1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    state = _state(item)
    if state.pass_rate is None:
        return (yield)
    from workbench.testing.evals.spies import observing

    with observing() as state.observed:
        return (yield)


# Marks.


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    project = config.stash[_project_key]
    for item, mistake in duplicates(items).items():
        _state(item).mistake = mistake
    for item in items:
        eval_mark = project.marks.eval(item)
        backend_mark = project.marks.requires_backend(item)
        if eval_mark is None and backend_mark is None:
            continue
        state = _state(item)
        try:
            if backend_mark is not None:
                from workbench.testing.plugin.backends import Requirement

                state.missing = Requirement.of(backend_mark).missing(os.environ)
                if eval_mark is not None and not project.options.live:
                    state.missing = NEEDS_LIVE
            if eval_mark is not None:
                state.pass_rate = pass_rate(eval_mark)
        except BadMarkError as error:
            item.stash[_state_key] = ItemState(mistake=str(error))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    state = _state(item)
    if state.mistake is not None:
        pytest.fail(state.mistake, pytrace=False)
    if state.missing is not None:
        if item.config.stash[_project_key].options.no_skip:
            pytest.fail(state.missing, pytrace=False)
        pytest.skip(state.missing)


# Reports.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    state, found = _state(item), Reported()
    has_failed_setup = report.when == "setup" and not report.passed
    if has_failed_setup and state.missing is not None:
        found["cause"] = state.missing
    if report.when == "call":
        state.has_passed = report.passed
    if state.pass_rate is not None and (has_failed_setup or report.when == "call"):
        found["eval"] = _eval_found(item, report, state.pass_rate)
    if report.when == "teardown" and (missed := _missed(state.mocks)):
        found["misses"] = missed
    if report.when == "teardown" and (said := [r for mock in state.mocks for r in mock.remarks]):
        found["remarks"] = said
    if found:
        setattr(report, ATTRIBUTE, found)
    return report


def _missed(mocks: list[MockLLM]) -> list[dict[str, str]]:
    """The requests of a test that nothing answered."""
    missed = [(miss.digest, miss.unanswered) for mock in mocks for miss in mock.misses]
    missed += [(asked.line, asked.message) for mock in mocks for asked in mock.unsupported]
    return [{"request": request, "reason": reason} for request, reason in missed]


def _eval_found(item: pytest.Item, report: pytest.TestReport, pass_rate: float) -> EvalFound:
    from workbench.testing.evals import results
    from workbench.testing.evals.spies import Observed

    state = _state(item)
    observed = state.observed or Observed()
    found = results.found(item, report, pass_rate, observed, state.mocks)
    if report.when == "call":
        results.excuse(item, report, pass_rate)
    return found
