"""The APIs: reading their requests, writing and reading their replies."""

from __future__ import annotations

from typing import Final

NAMES: Final = ("chat", "responses", "messages", "gemini", "converse", "cohere", "ollama")
"""The APIs that fixtures answer, each a package here with its ``API``. Requests of the first need
no translation, and do not say which API they are for.
"""
