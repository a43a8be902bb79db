"""The pytest plugin: options, markers, ``mock_llm``, repeated evals, backends that are missing."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from workbench.testing import eval_items, watching
from workbench.testing.backends import BadMarkerError, Requirement
from workbench.testing.golden import GoldenQuery
from workbench.testing.project import Project
from workbench.testing.reporting import ATTRIBUTE, Found, Reporter

if TYPE_CHECKING:
    from workbench.testing.mock_llm import MockLLM

_project_key = pytest.StashKey[Project]()
_found_key = pytest.StashKey[Found]()
_watched_key = pytest.StashKey[watching.Watched]()
_mocks_key = pytest.StashKey["list[MockLLM]"]()
_passed_key = pytest.StashKey[bool]()
_server_key = pytest.StashKey[ExitStack]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("llm", "LLM applications (workbench)")
    group.addoption(
        "--llm-live",
        action="store_true",
        help="run evals against the real model: mock_llm passes their requests on to "
        "OPENAI_BASE_URL, and no script answers",
    )
    group.addoption(
        "--llm-record", action="store_true", help="with --llm-live: keep the replies as fixtures"
    )
    group.addoption(
        "--llm-strict",
        action="store_true",
        help="fail a test that went on after a request that mock_llm did not answer",
    )
    group.addoption("--llm-repeat", type=int, default=1, metavar="N", help="run each eval N times")
    group.addoption(
        "--llm-no-skip",
        action="store_true",
        help="fail tests whose backend is missing, instead of skipping them",
    )


def pytest_configure(config: pytest.Config) -> None:
    for marker in (
        "eval(pass_rate=1.0): a golden query's test; of its repeated runs that part must pass",
        "requires_backend(env=[], url_env=None, reject=[], probe=None): skip the test unless the "
        'variables in env are set and the URL in url_env is none of reject; probe="dns" or "tcp" '
        "looks for its host",
    ):
        config.addinivalue_line("markers", marker)
    option = config.option
    if option.llm_repeat < 1:
        raise pytest.UsageError(f"--llm-repeat is {option.llm_repeat}; expected 1 or more")
    if option.llm_record and not option.llm_live:
        raise pytest.UsageError("--llm-record keeps what a real model replies: add --llm-live")
    project = config.stash[_project_key] = Project(config)
    config.stash[_server_key] = ExitStack()
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reporter(config, project), "workbench-reporter")


def pytest_unconfigure(config: pytest.Config) -> None:
    if _server_key in config.stash:
        config.stash[_server_key].close()


@pytest.fixture(scope="session")
def _mock_server(request: pytest.FixtureRequest) -> None:
    """Lets the server of the first mock serve those of all tests."""
    from workbench.testing.server import kept

    request.config.stash[_server_key].enter_context(kept())


@pytest.fixture
def mock_llm(request: pytest.FixtureRequest, _mock_server: None) -> Iterator[MockLLM]:
    """A model that answers what the test scripts: strict, and fresh for each test."""
    config, item = request.config, request.node
    is_live = config.option.llm_live and item.get_closest_marker("eval")
    project = config.stash[_project_key]
    with project.live() if is_live else project.mock() as mock:
        item.stash.setdefault(_mocks_key, []).append(mock)
        yield mock
    problems = [p for p in mock.problems if p.is_mistake or config.option.llm_strict]
    if problems and item.stash.get(_passed_key, False):
        pytest.fail("\n".join(["mock_llm could not answer:", *map(str, problems)]), pytrace=False)


# Evals.


def pytest_make_parametrize_id(val: object) -> str | None:
    return val.id if isinstance(val, GoldenQuery) else None


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    count = metafunc.config.option.llm_repeat
    if count > 1 and metafunc.definition.get_closest_marker("eval"):
        if eval_items.RUN not in metafunc.fixturenames:
            metafunc.fixturenames.append(eval_items.RUN)
        runs = range(1, count + 1)
        metafunc.parametrize(eval_items.RUN, runs, ids=eval_items.run_id, indirect=True)


@pytest.fixture
def llm_run(request: pytest.FixtureRequest) -> int:
    """Which of its repeated runs an eval is in, from 1."""
    return getattr(request, "param", 1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    if item.get_closest_marker("eval") is None:
        return (yield)
    with watching.watching() as watched:
        item.stash[_watched_key] = watched
        return (yield)


# Backends.


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    eval_items.require_unique_ids(items)
    causes: dict[Requirement, str | None] = {}
    for item in items:
        item.stash[_found_key] = Found()
        marker = item.get_closest_marker("requires_backend")
        if marker is None:
            continue
        try:
            requirement = Requirement.of(marker.args, marker.kwargs)
        except BadMarkerError as error:
            raise pytest.UsageError(f"{item.nodeid}: {error}") from None
        if requirement not in causes:
            causes[requirement] = requirement.missing(os.environ)
        cause = causes[requirement]
        if item.get_closest_marker("eval") and not config.option.llm_live:
            cause = "an eval of a real backend: add --llm-live"
        if cause is not None:
            item.stash[_found_key]["cause"] = cause


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    cause = item.stash.get(_found_key, Found()).get("cause")
    if cause is not None:
        if item.config.option.llm_no_skip:
            pytest.fail(cause, pytrace=False)
        pytest.skip(cause)


# Reports.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    found = Found()
    if report.when == "setup" and not report.passed:
        found = item.stash.get(_found_key, found).copy()
        if item.get_closest_marker("eval"):
            found |= _of_eval(item, report)
    elif report.when == "call":
        item.stash[_passed_key] = report.passed
        if _watched_key in item.stash:
            found = _of_eval(item, report)
            eval_items.excuse(item, report)
    elif report.when == "teardown":
        found["misses"] = [
            {"digest": miss.call.digest, "reason": miss.reason}
            for mock in item.stash.get(_mocks_key, [])
            for miss in mock.misses
        ]
    setattr(report, ATTRIBUTE, found)
    return report


def _of_eval(item: pytest.Item, report: pytest.TestReport) -> Found:
    """What came of an eval that ended: in its setup, where no test was watched yet."""
    found = Found(query=eval_items.query(item))
    skipped = eval_items.why_skipped(report)
    if skipped is not None:
        found["skipped"] = skipped
    else:
        watched = item.stash.get(_watched_key, watching.Watched())
        mocks = item.stash.get(_mocks_key, [])
        found["run"] = eval_items.run(item, report, watched)
        found["exchanges"] = eval_items.exchanges(mocks)
    return found
