"""The paths of Vertex AI, which serves the models of several publishers."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

from workbench.core.json.values import string
from workbench.core.requests.view import Payload

PARENT: Final = "parent"
"""Of a request that came by such a path: what stands before ``/models/``."""

_PLACE: Final = r"(?:/v\d\w*)?(?:/projects/[^/]+/locations/[^/]+)?/publishers"
_PARENT: Final = re.compile(rf"{_PLACE}/[^/]+")


def parent_in(path: re.Match[str], publisher: str) -> str | None:
    """What is before ``/models/`` in a path of Vertex AI; None for another path.

    Args:
        path: begins with ``/models/``. A pattern that began before it would have no certain first
            letters, so that a log would be searched half as fast.
    """
    place = re.search(rf"{_PLACE}/{publisher}$", path.string[: path.start()])
    return place and place[0]


def path_of(payload: Payload) -> str | None:
    """The path of a request's model, up to the colon; None if the request used another kind of
    path. Values from the payload are percent-encoded.
    """
    parent = string(payload.get(PARENT))
    if not _PARENT.fullmatch(parent):
        return None
    model = quote(string(payload.get("model")), safe="", errors="surrogatepass")
    return f"{quote(parent, errors='surrogatepass')}/models/{model}"
