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


def parent_of(publisher: str) -> str:
    """The pattern of the path before ``/models/``, as the group ``parent``."""
    return rf"(?P<{PARENT}>{_PLACE}/{publisher})"


def path_of(payload: Payload) -> str | None:
    """The path of a request's model, up to the colon; None if the request used another kind of
    path. Values from the payload are percent-encoded.
    """
    parent = string(payload.get(PARENT))
    if not _PARENT.fullmatch(parent):
        return None
    model = quote(string(payload.get("model")), safe="", errors="surrogatepass")
    return f"{quote(parent, errors='surrogatepass')}/models/{model}"
