"""How long a client surely waits for the beginning of a plain reply.

Until then its reply need not begin, and an answer that is an error can still have its status. Many
clients would report a broken connection instead: those for JavaScript and google-genai do not ask
again after a reply that breaks off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

# ``fetch`` of Node gives up after so many seconds.
MOST_SECONDS: Final = 300.0
# The seconds after which a client gives up. The OpenAI and Anthropic clients for Python always say
# so, those for JavaScript and google-genai where a request has its own time-out.
_STATED: Final = ("x-stainless-read-timeout", "x-stainless-timeout", "x-server-timeout")
# Every ``fetch`` sends the first; google-genai, which gives up on its own never, the second.
_FETCH: Final = "sec-fetch-mode"
_CLIENT: Final = "x-goog-api-client"
_GEMINI: Final = "google-genai-sdk"


def patience(headers: Mapping[str, str]) -> float | None:
    """The seconds that the client of a request waits; None: not known.

    Args:
        headers: of the request, with names in lower case.
    """
    stated = [_seconds(headers[name]) for name in _STATED if name in headers]
    if not stated and _FETCH not in headers and _GEMINI not in headers.get(_CLIENT, ""):
        return None
    return min([MOST_SECONDS, *stated])


def _seconds(text: str) -> float:
    """A number of seconds; infinity for what is none."""
    try:
        seconds = float(text)
    except ValueError:
        return math.inf
    return seconds if seconds > 0 else math.inf
