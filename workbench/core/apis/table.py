"""The table of the APIs that fixtures answer, and how a request finds its own.

To add an API, write a module like ``chat.api`` and add it to ``APIS``: the routes of the server and
of the mocks, the reader of logs and ``workbench import`` take their paths from here.
"""

from __future__ import annotations

from typing import Final

from workbench.core.apis.api import API
from workbench.core.apis.chat.api import CHAT
from workbench.core.requests.view import Payload, RequestView

APIS: Final[tuple[API, ...]] = (CHAT,)


def api_at(path: str) -> API | None:
    """The API of a URL's path, which may begin with the path of a base URL; None for any other."""
    return next((api for api in APIS if path.endswith(api.path)), None)


def view(payload: Payload) -> RequestView:
    """A request as it was received, logged or stored, as a view."""
    return CHAT.view(payload)
