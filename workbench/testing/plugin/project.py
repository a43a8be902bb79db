"""The project whose tests run: settings, folders, the log of misses, and mocks made from them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from workbench.io.logs.newest_log import PYTEST_LOG, USED_LOG
from workbench.io.state_folder import StateFolder
from workbench.testing.plugin.marks import PluginMarks
from workbench.testing.plugin.options import Options

if TYPE_CHECKING:
    from workbench.core.apis.unsupported import UnsupportedRequest
    from workbench.io.fixture.stored_fixtures import StoredFixtures
    from workbench.io.settings import Settings
    from workbench.testing.mocks.calls import Call
    from workbench.testing.mocks.project_mock import ProjectMock
    from workbench.testing.plugin.unanswered import RequestLog

DEFAULT_UPSTREAM: Final = "https://api.openai.com/v1"
# A log this long has more misses than anybody answers.
_MOST_BYTES: Final = 64 * 1024 * 1024
_SHORT_MARKS: Final = b"short_marks"


class PytestLogs:
    """Two logs in the state folder, in the format of the stub server: one of misses, which is there
    only if there are any, and one of the fixtures that were used, with the beginning and the end of
    the session. Misses are appended at once, so that the workbench shows them while the tests run.
    Workers of pytest-xdist share the files.

    Attributes:
        path: path of the log of misses.
    """

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self.path = state.path / PYTEST_LOG
        self._used_path = state.path / USED_LOG
        self._used: set[str] = set()

    def begin(self) -> None:
        """Discard the requests of the previous session."""
        for path in (self.path, self._used_path):
            with contextlib.suppress(OSError):
                path.unlink()

    def write_used(self, digest: str) -> None:
        """Note the digest of a fixture that answered a request; once in each process."""
        from workbench.core.log.lines import served_line, suite_started_line

        if digest not in self._used:
            self._used.add(digest)
            self._append(self._used_path, served_line(digest), head=suite_started_line())

    def end(self, code: int) -> None:
        """Note that the session ended with this exit code, if fixtures were used."""
        from workbench.core.log.lines import suite_ended_line

        if self._used_path.exists():
            self._append(self._used_path, suite_ended_line(code))

    def write(self, test: str, unanswered: Call | UnsupportedRequest) -> None:
        """Append a request of a test. Does nothing if the log cannot be written: that must not fail
        the test.
        """
        from workbench.core.apis.unsupported import UnsupportedRequest
        from workbench.core.log.lines import (
            asked_line,
            hidden_miss_lines,
            miss_lines,
            test_name,
            unsupported_line,
        )
        from workbench.core.written.request import as_written

        if isinstance(unanswered, UnsupportedRequest):
            lines, request = unsupported_line(unanswered), str(unanswered)
        else:
            request = unanswered.digest
            written = as_written(unanswered.payload, unanswered.headers.items())
            if written.is_secret:
                lines = hidden_miss_lines(request)
            else:
                lines = miss_lines(request, written.payload)
        lines += asked_line(test_name(test), request)
        self._append(self.path, lines)

    def _append(self, path: Path, lines: str, *, head: str = "") -> None:
        """Append to a log; ``head`` begins a new one. Does nothing if it cannot be written."""
        with contextlib.suppress(OSError):
            self._state.ensure()
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            try:
                file = os.open(path, flags | os.O_EXCL, 0o600)
                lines = head + lines
            except FileExistsError:
                file = os.open(path, flags, 0o600)
            try:
                if os.fstat(file).st_size < _MOST_BYTES:
                    os.write(file, lines.encode("utf-8", "backslashreplace"))
            finally:
                os.close(file)


class Project:
    """The folder ``.workbench`` of a project, the same in every process of a test session."""

    def __init__(self, root: Path, options: Options) -> None:
        self.root = root
        self.options = options
        self.state = StateFolder.locate(root)
        self.log = PytestLogs(self.state)

    @cached_property
    def marks(self) -> PluginMarks:
        """The plugin's marks, which only the project's file can set. Raises pytest.UsageError for
        invalid settings.
        """
        is_named = _SHORT_MARKS in _pyproject(self.root)  # loading the settings takes time
        return PluginMarks(short=is_named and self._settings({}).short_marks)

    @cached_property
    def fixtures(self) -> Path:
        """The fixtures folder, which may not exist. Raises pytest.UsageError for invalid
        settings.
        """
        return self.root / self._of_project.fixtures

    @cached_property
    def _of_project(self) -> Settings:
        return self._settings(os.environ)

    def _settings(self, environ: Mapping[str, str]) -> Settings:
        from workbench.core.user_error import SettingsError
        from workbench.io.settings import Settings

        try:
            return Settings.resolve(environ=environ, start=self.root)
        except SettingsError as error:
            raise pytest.UsageError(str(error)) from None

    @cached_property
    def _stored(self) -> StoredFixtures:
        from workbench.io.fixture.stored_fixtures import StoredFixtures
        from workbench.testing.mocks.mock_llm import fixture_store

        try:
            store = fixture_store(self.fixtures)
        except NotADirectoryError as error:
            raise pytest.UsageError(str(error)) from None
        return StoredFixtures(store, normalise=self._of_project.normalise, state=self.state)

    @property
    def requests(self) -> RequestLog:
        """Where commands find what mocks did not answer."""
        from workbench.testing.plugin.unanswered import RequestLog

        return RequestLog(self.log.path, self.fixtures)

    def mock(self, test: str, here: Path) -> ProjectMock:
        """A mock for a test; the project's fixtures answer what it does not script.

        Args:
            here: the folder in which commands are typed.
        """
        from workbench.core.replies.profile_names import RUN_PROFILE
        from workbench.testing.mocks.project_mock import ProjectMock

        return ProjectMock(
            self._stored,
            profile=self._of_project.profile or RUN_PROFILE,
            on_unanswered=partial(self.log.write, test),
            on_served=self.log.write_used,
            log_options=partial(self.requests.options, here),
        )

    def has_broken(self, digest: str) -> bool:
        """True if the fixture of a digest exists and cannot be sent."""
        from workbench.core.replies.response import FixtureError

        try:
            self._stored.store.reply(digest)
        except FixtureError:
            return True
        return False

    def live(self, test: str) -> ProjectMock:
        """A mock for a test that passes requests on to the real model."""
        from workbench.io.fixture.reply_saver import ReplySaver
        from workbench.testing.mocks.live import LiveModel
        from workbench.testing.mocks.project_mock import ProjectMock

        settings = self._of_project
        variable = os.environ.get("OPENAI_BASE_URL", "").strip()
        base_url = settings.upstream or variable or DEFAULT_UPSTREAM
        saver = ReplySaver(self._stored.store, settings.store_request, settings.request_limit)
        model = LiveModel(base_url, saver if self.options.record else None, test)
        note = partial(self.log.write, test)
        return ProjectMock(
            self._stored, on_unanswered=note, on_served=self.log.write_used, upstream=model
        )


def _pyproject(root: Path) -> bytes:
    """The nearest ``pyproject.toml``; b"" without one."""
    for folder in (root, *root.parents):
        with contextlib.suppress(OSError):
            return (folder / "pyproject.toml").read_bytes()
    return b""


_project_key = pytest.StashKey[Project]()


def open_project(config: pytest.Config) -> Project:
    """The project of a test session, kept for ``project_of``. Raises pytest.UsageError for invalid
    options.
    """
    project = config.stash[_project_key] = Project(config.rootpath, Options.read(config))
    return project


def project_of(config: pytest.Config) -> Project:
    """The project whose tests run."""
    return config.stash[_project_key]
