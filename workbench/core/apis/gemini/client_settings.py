"""What clients of Gemini read from their environment."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.client_settings import ClientSettings, ClientVariable

CLIENT: Final = ClientSettings(
    "GOOGLE_GEMINI_BASE_URL",
    "",
    "GEMINI_API_KEY",
    "x-goog-api-key",
    key_parameter="key",
    clients="google-genai, pydantic-ai, langchain-google-genai, Google ADK; "
    "google-genai for JavaScript",
    base_urls=(
        ClientVariable("GEMINI_API_BASE", "", "litellm with `gemini/`"),
        ClientVariable("GOOGLE_VERTEX_BASE_URL", "", "google-genai with `vertexai=True`"),
    ),
    other_key_headers=(("Authorization", "Bearer "),),
    hosts=("generativelanguage.googleapis.com", "*aiplatform.googleapis.com"),
)
