"""The JSON objects of replies."""

from __future__ import annotations

import json
from typing import Any

from workbench.core.digest import json_type
from workbench.core.replies.response import NotAReplyError


def json_object(text: bytes | str, where: str) -> dict[str, Any]:
    """The JSON object in a body, or in the data of an event; ``where`` names it in the error, as
    ``the body`` or ``frame 3``. Raises NotAReplyError if it is something else.
    """
    if not text:
        raise NotAReplyError(f"{where} is empty")
    try:
        value = json.loads(text)
    except UnicodeDecodeError as error:
        raise NotAReplyError(f"{where} is not JSON: byte {error.start} cannot be read") from None
    except (ValueError, RecursionError) as error:
        raise NotAReplyError(f"{where} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise NotAReplyError(f"{where} is {json_type(value)}, not an object")
    return value


def error_text(error: Any) -> str:
    """The message of an error, which may be an object or a text, cut where it is long."""
    message = error.get("message") if isinstance(error, dict) else error
    return str(message)[:200]
