"""The pytest plugin: options, marks, repeated evals, skips for missing backends; the pytest fixture
``mock_llm`` is in ``mock_fixtures``.

Every project in an environment that has the package loads it. So it must not touch what does not
use it, and must load quickly.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Final

import pytest

from workbench.testing.evals.golden import RUN, GoldenQuery, duplicates, run_id
from workbench.testing.plugin import mock_fixtures, options, running
from workbench.testing.plugin.item_state import state_of
from workbench.testing.plugin.marks import BadMarkError, pass_rate
from workbench.testing.plugin.project import open_project, project_of
from workbench.testing.plugin.reporting import ATTRIBUTE, Reported, Reporter
from workbench.testing.plugin.timeouts import Timeouts

if TYPE_CHECKING:
    from workbench.testing.evals.results import EvalResult
    from workbench.testing.mocks.project_mock import ProjectMock

NEEDS_LIVE: Final = "evals of a real backend run only with --llm-live"


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the options where a conftest.py loads the plugin, too late for the next hook. This is the
    first hook that is called, so it also refuses other machines before a conftest.py connects.
    """
    running.refuse_other_machines(os.environ)
    names = (name for name, _ in pluginmanager.list_name_plugin())
    if any(name.endswith("conftest.py") for name in names):
        options.add(parser)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Generator[None, Any, Any]:
    """Add our options after the options of other plugins and of the project, which take precedence.

    A conftest.py may create clients, so their base URLs are set before.
    """
    running.name_urls(os.environ)
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
            f"{folder}/conftest.py defines {option}, which is an option of the plugin workbench. "
            f"Rename your option, or name the folder so that pytest reads the file first: pytest "
            f"{folder}. Or turn the plugin off: -p no:workbench"
        )
    return report


def pytest_configure(config: pytest.Config) -> None:
    project = open_project(config)
    project.marks.register(config)
    config.pluginmanager.register(mock_fixtures, "workbench-mocks")
    server = running.server(os.environ)
    if server is not None:
        config.pluginmanager.register(server, "workbench-running")
        config.pluginmanager.register(Timeouts(server), "workbench-timeouts")
    if not hasattr(config, "workerinput"):  # of pytest-xdist
        if server is not None and (reports := running.reports(config, os.environ)) is not None:
            config.pluginmanager.register(reports, "workbench-reports")
        config.pluginmanager.register(Reporter(config, project, server), "workbench-reporter")


# Evals.


def pytest_make_parametrize_id(val: object) -> str | None:
    return val.id if isinstance(val, GoldenQuery) else None


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    project = project_of(metafunc.config)
    count = project.options.repeat
    if count > 1 and project.marks.eval(metafunc.definition):
        if RUN not in metafunc.fixturenames:
            metafunc.fixturenames.append(RUN)
        metafunc.parametrize(RUN, range(1, count + 1), ids=run_id, indirect=True)


@pytest.fixture
def llm_run(request: pytest.FixtureRequest) -> int:
    """The number of the current run of an eval, from 1; see the option ``--llm-repeat``."""
    return getattr(request, "param", 1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    state = state_of(item)
    if state.pass_rate is None:
        return (yield)
    from workbench.testing.evals.spies import observing

    with observing() as state.observed:
        return (yield)


# Marks.


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    project = project_of(config)
    for item, mistake in duplicates(items).items():
        state_of(item).mistake = mistake
    for item in items:
        eval_mark = project.marks.eval(item)
        backend_mark = project.marks.requires_backend(item)
        if eval_mark is None and backend_mark is None:
            continue
        state = state_of(item)
        try:
            if backend_mark is not None:
                from workbench.testing.plugin.backends import Requirement

                state.missing = Requirement.of(backend_mark).missing(os.environ)
                if eval_mark is not None and not project.options.live:
                    state.missing = NEEDS_LIVE
            if eval_mark is not None:
                state.pass_rate = pass_rate(eval_mark)
        except BadMarkError as error:
            state.missing, state.mistake = None, str(error)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    state = state_of(item)
    if state.mistake is not None:
        pytest.fail(state.mistake, pytrace=False)
    if state.missing is not None:
        if project_of(item.config).options.no_skip:
            pytest.fail(state.missing, pytrace=False)
        pytest.skip(state.missing)


# Reports.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    state, reported = state_of(item), Reported()
    has_failed_setup = report.when == "setup" and not report.passed
    if has_failed_setup and state.missing is not None:
        reported["cause"] = state.missing
    if report.when == "call":
        state.has_passed = report.passed
    if state.pass_rate is not None and (has_failed_setup or report.when == "call"):
        reported["eval"] = _eval_result(item, report, state.pass_rate)
    if report.when == "teardown" and (missed := _missed(state.mocks)):
        reported["misses"] = missed
    if report.when == "teardown" and (remarks := [r for m in state.mocks for r in m.remarks]):
        reported["remarks"] = remarks
    if reported:
        setattr(report, ATTRIBUTE, reported)
    return report


def _missed(mocks: list[ProjectMock]) -> list[dict[str, str]]:
    """The unanswered requests of a test."""
    missed = [(miss.digest, miss.unanswered) for mock in mocks for miss in mock.misses]
    missed += [(each.line, each.message) for mock in mocks for each in mock.unsupported]
    return [{"request": request, "reason": reason} for request, reason in missed]


def _eval_result(item: pytest.Item, report: pytest.TestReport, pass_rate: float) -> EvalResult:
    from workbench.testing.evals import results
    from workbench.testing.evals.spies import Observed

    state = state_of(item)
    observed = state.observed or Observed()
    result = results.eval_result(item, report, pass_rate, observed, state.mocks)
    if report.when == "call":
        results.excuse(item, report, pass_rate)
    return result
