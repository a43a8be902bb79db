"""What the server keeps of a request while it is being answered."""

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
    """What is known of a request from its head, and its log lines.

    Attributes:
        headers: by their names in lower case.
        test: that sends it.
        host: of an API that was asked, where ``workbench run --intercept`` answers for it, or "".
        origin: the beginning of the URL where that is not the own host of the API, or "".
        log_lines: are written when its reply begins, before the access line.
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
