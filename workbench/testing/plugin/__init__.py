"""The pytest plugin: options, marks, ``mock_llm``, repeated evals, skips for missing backends.

Every project in an environment that has the package loads it. So it must not touch what does not
use it, and must load quickly.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from workbench.testing.evals.golden import RUN, GoldenQuery, duplicates, run_id
from workbench.testing.plugin import options, running
from workbench.testing.plugin.marks import BadMarkError, pass_rate
from workbench.testing.plugin.project import Project
from workbench.testing.plugin.reporting import ATTRIBUTE, Reported, Reporter

if TYPE_CHECKING:
    from workbench.testing.evals.results import EvalFound
    from workbench.testing.evals.spies import Observed
    from workbench.testing.mocks.mock_llm import MockLLM

NEEDS_LIVE: Final = "an eval of a real backend: add --llm-live"


@dataclass(slots=True)
class Plan:
    """What the plugin does with a test.

    Attributes:
        pass_rate: the part of an eval's runs that must pass; None for other tests.
        missing: why the backend that it requires is missing, if so.
        mistake: what is wrong with its marks or its golden query; it fails the test. (An error of
            the whole session would end pytest-xdist's workers with a traceback.)
    """

    pass_rate: float | None = None
    missing: str | None = None
    mistake: str | None = None


_project_key = pytest.StashKey[Project]()
_plan_key = pytest.StashKey[Plan]()
_observed_key: pytest.StashKey[Observed] = pytest.StashKey()
_mocks_key = pytest.StashKey["list[MockLLM]"]()
_passed_key = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    options.add(parser)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None]:
    """Report in one line that a conftest.py defines an option of ours, instead of a traceback.

    A conftest.py may make clients, so their base URLs are set before.
    """
    running.name_base_urls(os.environ)
    try:
        return (yield)
    except (ValueError, argparse.ArgumentError) as error:
        if "--llm-" not in str(error):
            raise
        raise pytest.UsageError(
            f"a conftest.py defines an option of the plugin workbench: {error}. "
            "Rename it, or turn the plugin off with -p no:workbench"
        ) from None


def pytest_configure(config: pytest.Config) -> None:
    project = Project(config.rootpath, options.Options.read(config))
    project.marks.register(config)
    config.stash[_project_key] = project
    if server := running.server(os.environ):
        config.pluginmanager.register(server, "workbench-running")
    if not hasattr(config, "workerinput"):  # of pytest-xdist
        config.pluginmanager.register(Reporter(config, project), "workbench-reporter")


@pytest.fixture(scope="session")
def _mock_server() -> Iterator[None]:
    """A mock that nobody asks: the server of all mocks ends with the last one."""
    from workbench.testing.mocks.mock_llm import MockLLM

    with MockLLM() as mock:
        mock.serve()
        yield


@pytest.fixture
def mock_llm(request: pytest.FixtureRequest, _mock_server: None) -> Iterator[MockLLM]:
    """A model that answers what the test scripts: strict, and fresh for each test."""
    item, project = request.node, request.config.stash[_project_key]
    is_live = project.options.live and _plan(item).pass_rate is not None
    try:
        mock = project.live(item.nodeid) if is_live else project.mock(item.nodeid)
    except pytest.UsageError as error:  # invalid settings
        pytest.fail(str(error), pytrace=False)
    with mock:
        item.stash.setdefault(_mocks_key, []).append(mock)
        yield mock
    problems = [p for p in mock.problems if p.is_mistake or project.options.strict]
    if problems and item.stash.get(_passed_key, False):
        pytest.fail("\n".join(["mock_llm could not answer:", *map(str, problems)]), pytrace=False)


def _plan(item: pytest.Item) -> Plan:
    return item.stash.get(_plan_key, Plan())


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
    if _plan(item).pass_rate is None:
        return (yield)
    from workbench.testing.evals.spies import observing

    with observing() as item.stash[_observed_key]:
        return (yield)


# Marks.


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    project = config.stash[_project_key]
    for item, mistake in duplicates(items).items():
        item.stash[_plan_key] = Plan(mistake=mistake)
    for item in items:
        eval_mark = project.marks.eval(item)
        backend_mark = project.marks.requires_backend(item)
        if eval_mark is None and backend_mark is None:
            continue
        plan = item.stash.setdefault(_plan_key, Plan())
        try:
            if eval_mark is not None:
                plan.pass_rate = pass_rate(eval_mark)
            if backend_mark is not None:
                plan.missing = _missing(project, plan, backend_mark)
        except BadMarkError as error:
            item.stash[_plan_key] = Plan(mistake=str(error))


def _missing(project: Project, plan: Plan, backend_mark: pytest.Mark) -> str | None:
    """Why the backend of a test is missing, if so. Raises BadMarkError."""
    from workbench.testing.plugin.backends import Requirement

    missing = Requirement.of(backend_mark).missing(os.environ)
    return missing if plan.pass_rate is None or project.options.live else NEEDS_LIVE


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    plan = _plan(item)
    if plan.mistake is not None:
        pytest.fail(plan.mistake, pytrace=False)
    if plan.missing is not None:
        if item.config.stash[_project_key].options.no_skip:
            pytest.fail(plan.missing, pytrace=False)
        pytest.skip(plan.missing)


# Reports.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    plan, found = _plan(item), Reported()
    has_failed_setup = report.when == "setup" and not report.passed
    if has_failed_setup and plan.missing is not None:
        found["cause"] = plan.missing
    if report.when == "call":
        item.stash[_passed_key] = report.passed
    if plan.pass_rate is not None and (has_failed_setup or report.when == "call"):
        found["eval"] = _eval_found(item, report, plan.pass_rate)
    if report.when == "teardown" and (missed := _missed(item)):
        found["misses"] = missed
    if found:
        setattr(report, ATTRIBUTE, found)
    return report


def _missed(item: pytest.Item) -> list[dict[str, str]]:
    """The requests of a test that nothing answered."""
    mocks = item.stash.get(_mocks_key, [])
    missed = [(miss.call.digest, miss.reason) for mock in mocks for miss in mock.misses]
    missed += [(asked.line, asked.message) for mock in mocks for asked in mock.unsupported]
    return [{"request": request, "reason": reason} for request, reason in missed]


def _eval_found(item: pytest.Item, report: pytest.TestReport, pass_rate: float) -> EvalFound:
    from workbench.testing.evals import results
    from workbench.testing.evals.spies import Observed

    observed = item.stash.get(_observed_key, Observed())
    mocks = item.stash.get(_mocks_key, [])
    found = results.found(item, report, pass_rate, observed, mocks)
    if report.when == "call":
        results.excuse(item, report, pass_rate)
    return found
