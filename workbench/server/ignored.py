"""Options of requests that replies do not honour; each is logged once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from workbench.core.apis.ignored import ALWAYS_IGNORED, IgnoredOption
from workbench.core.log.lines import ignored_line
from workbench.core.replies.http_reply import ProfileName
from workbench.server.log import LogSink


class IgnoredOptions:
    """Reports each ignored option once, in the log and as an event.

    Args:
        publish: called with the kind and the data of an event, for those who listen.

    Attributes:
        said: the options so far.
    """

    def __init__(
        self, profile: ProfileName, log: LogSink, publish: Callable[[str, dict[str, Any]], None]
    ) -> None:
        self._profile = profile
        self._log = log
        self._publish = publish
        self.said: list[IgnoredOption] = []

    def note(self, options: Iterable[IgnoredOption]) -> None:
        """Log those of ``options`` that the profile ignores, each the first time."""
        for option in options:
            if self._profile != "stub" and option != ALWAYS_IGNORED:
                continue
            if option not in self.said:
                self.said.append(option)
                self._log.write(ignored_line(option))
                self._publish("ignored", {"option": option})
