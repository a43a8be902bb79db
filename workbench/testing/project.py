"""Where a project keeps what concerns its tests; the same in every process of a test session."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from workbench.io.state_folder import StateFolder
from workbench.testing.misses import MissLog

if TYPE_CHECKING:
    from workbench.testing.mock_llm import MockLLM
    from workbench.testing.stored import Stored

DEFAULT_UPSTREAM: Final = "https://api.openai.com/v1"


class Project:
    """The project whose tests run.

    Attributes:
        state: its ``.workbench``.
        log: gets the misses.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._root = config.rootpath
        self._keeps_replies = bool(config.option.llm_record)
        self.state = StateFolder.locate(config.rootpath)
        self.log = MissLog(self.state)

    @cached_property
    def fixtures(self) -> Path:
        """The fixtures folder, which need not exist.

        Raises:
            pytest.UsageError: settings that cannot be used.
        """
        from workbench.io.settings import Settings, SettingsError

        try:
            return self._root / Settings.resolve(start=self._root).fixtures
        except SettingsError as error:
            raise pytest.UsageError(str(error)) from None

    @cached_property
    def _stored(self) -> Stored:
        from workbench.testing.stored import Stored

        return Stored(self.fixtures)

    def mock(self) -> MockLLM:
        """A mock for one test: what it does not script, the project's fixtures answer."""
        from workbench.testing.mock_llm import MockLLM

        stored = self._stored if self.fixtures.is_dir() else None
        return MockLLM(stored, on_miss=self.log.write)

    def live(self) -> MockLLM:
        """A mock that passes requests on to the real model."""
        from workbench.testing.live import Upstream
        from workbench.testing.mock_llm import MockLLM

        base_url = os.environ.get("OPENAI_BASE_URL", "").strip() or DEFAULT_UPSTREAM
        store = self._stored.store if self._keeps_replies else None
        return MockLLM(upstream=Upstream(base_url, store))
