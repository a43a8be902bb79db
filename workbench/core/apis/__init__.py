"""The APIs: reading their requests, writing and reading their replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NAMES: Final = ("chat", "responses", "messages", "gemini", "converse", "cohere", "ollama")
"""The APIs that fixtures answer, each a package here with its ``API``. Requests of the first need
no translation, and do not say which API they are for.
"""

OF_VENDORS: Final[Mapping[str, str]] = {
    "openai": "chat",
    "anthropic": "messages",
    "google": "gemini",
    "bedrock": "converse",
}
"""The API of each vendor's official client, for vendors whose name is not that of the API."""
