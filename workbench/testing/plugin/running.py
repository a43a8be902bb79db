"""Support for ``workbench run`` in a suite: report the running test to the server, fetch from it
the held time and the unanswered requests, and connect to no other machine with ``--offline``.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from workbench.core.misses.record import MissRecord
    from workbench.testing.plugin.suite_reports import SuiteReports
    from workbench.testing.plugin.unanswered import Unanswered

_URL: Final = "WORKBENCH_URL"
_OFFLINE: Final = "WORKBENCH_OFFLINE"
# The server that a session reports its tests to, for sessions that its tests start.
_REPORTING: Final = "WORKBENCH_REPORTING"
_WORKER: Final = "PYTEST_XDIST_WORKER"
_TEXT_CHARACTERS: Final = 80


def refuse_other_machines(environ: Mapping[str, str]) -> None:
    """Refuse them until this process ends, if the suite runs with ``--offline``."""
    if file := environ.get(_OFFLINE):
        from workbench.testing.plugin import offline

        offline.refuse_other_machines(file)


def name_urls(environ: MutableMapping[str, str]) -> None:
    """In a worker of pytest-xdist, put the worker's name into the base URLs that point at the
    server, and into the URL of its proxy: tests of several workers run at the same time.
    """
    url, worker = environ.get(_URL), environ.get(_WORKER)
    if not url or not worker:
        return
    from workbench.io.processes.client_environment import (
        PROXY_VARIABLE,
        PROXY_VARIABLES,
        base_urls,
    )

    name = quote(worker, safe="")
    named = base_urls(f"{url}/as/{name}")
    for variable, base_url in base_urls(url).items():
        if environ.get(variable) == base_url:
            environ[variable] = named[variable]
    if proxy := environ.get(PROXY_VARIABLE):
        user, _, place = proxy.removeprefix("http://").rpartition("@")
        # Some clients leave out a user without a password.
        password = user.partition(":")[2] or "any"
        named_proxy = f"http://{name}:{password}@{place}"
        for variable in PROXY_VARIABLES:
            if environ.get(variable) == proxy:
                environ[variable] = named_proxy


def server(environ: Mapping[str, str]) -> RunningServer | None:
    """A plugin that reports to the server the environment names; None without one."""
    url = environ.get(_URL)
    return RunningServer(url, environ.get(_WORKER, "")) if url else None


def reports(config: pytest.Config, environ: MutableMapping[str, str]) -> SuiteReports | None:
    """A plugin that reports the tests to that server; None without one, and in a session that a
    test of another one started.
    """
    url = environ.get(_URL)
    if not url or environ.get(_REPORTING) == url:
        return None
    from workbench.testing.plugin.suite_reports import SuiteReports

    def end() -> None:
        environ.pop(_REPORTING, None)

    environ[_REPORTING] = url
    config.add_cleanup(end)
    return SuiteReports(config, url)


class RunningServer:
    """A pytest plugin that reports each test when it begins, until that fails once.

    Args:
        url: of the server.
        name: of this process in base URLs; "" if they have none.
    """

    def __init__(self, url: str, name: str) -> None:
        self._url = url
        self._name = name
        self._is_there = True
        self._since = ""

    def pytest_sessionstart(self) -> None:
        """Also loads what a report needs, which takes longer than some tests may."""
        self._since = time.strftime("%Y-%m-%dT%H:%M:%S")  # as misses have it
        self._report(None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        self._report(item.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._report(None)

    def held_seconds(self) -> float:
        """How long requests of the running test have been held; 0.0 if the server cannot be
        reached.
        """
        from workbench.io.network.control_client import ControlClient

        with contextlib.suppress(Exception):  # as in _report
            return ControlClient(self._url).running(self._name).held_s
        return 0.0

    def unanswered(self) -> dict[str, Unanswered]:
        """The requests of this session that the server did not answer, by digest, or by method and
        path; empty if it cannot be reached.
        """
        if self._is_there:
            with contextlib.suppress(Exception):  # as in _report
                return self._unanswered()
        return {}

    def _unanswered(self) -> dict[str, Unanswered]:
        from workbench.core.text.digests import short
        from workbench.io.network.control_client import ControlClient
        from workbench.testing.plugin.unanswered import RequestLog, Unanswered

        client = ControlClient(self._url)
        rows = [r for r in client.misses() if r.is_open and (r.last_seen or "") >= self._since]
        if not rows:
            return {}
        state = client.state()
        log = RequestLog(Path(state.log) if state.log else None, Path(state.fixtures))
        refused = _refused(log.path)
        return {
            row.digest or f"{row.method} {row.path}": Unanswered(
                row.digest,
                refused.get(short(row.digest or "")) or _reason(row),
                log,
                is_refused=short(row.digest or "") in refused,
                is_broken=row.state == "broken",
                tests=dict.fromkeys(row.tests),
            )
            for row in rows
        }

    def _report(self, test: str | None) -> None:
        if not self._is_there:
            return
        from workbench.io.network.control_client import ControlClient, ControlError

        try:
            ControlClient(self._url).set_running(self._name, test)
        except ControlError:  # tests run all the same
            self._is_there = False
        except Exception:
            return  # the suite forbids sockets, by errors of its own, perhaps for some tests alone


def _refused(log: Path | None) -> dict[str, str]:
    """Why requests were not recorded, in a sentence, by the first digits of their digests."""
    from workbench.core.log.recording_lines import RecordingTotals

    if log is None:
        return {}
    with contextlib.suppress(OSError), log.open("rb") as lines:
        reasons = RecordingTotals.of(lines).reasons
        return {digest: f"Not recorded: {why}." for digest, why in reasons.items()}
    return {}


def _reason(row: MissRecord) -> str:
    """Why the server did not answer a request, in a sentence."""
    from workbench.core.text.inert import excerpt

    if row.unsupported is not None:
        return row.unsupported.message
    text = f'"{excerpt(row.last_user_text or "", _TEXT_CHARACTERS)}"'
    fixture = "The fixture cannot be sent" if row.state == "broken" else "No fixture answers"
    return f"{fixture}: {text if row.has_dump else 'its text is not in the log'}."
