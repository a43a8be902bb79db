"""Data about a request, kept while it is being answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from starlette.types import Scope

if TYPE_CHECKING:
    from workbench.server.running_tests import RunningTest

STATE_KEY: Final = "workbench.request"
"""Of the ``RequestState``, in the ``state`` of the scope."""


@dataclass(slots=True)
class RequestState:
    """Data from the head of a request, and its log lines.

    Attributes:
        headers: headers by their names in lower case.
        test: the test that sends it.
        host: host of the API, if ``workbench run --intercept`` intercepted the request, or "".
        origin: the beginning of the URL for another host than the API's default, or "".
        log_lines: written when its reply begins, before the access line.
    """

    headers: Mapping[str, str]
    test: RunningTest
    host: str = ""
    origin: str = ""
    log_lines: str = ""


def state_of(scope: Scope) -> RequestState:
    """The state of a request, which ``RequestHeads`` made."""
    state: RequestState = scope["state"][STATE_KEY]
    return state
