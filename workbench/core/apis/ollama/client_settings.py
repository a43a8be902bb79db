"""What clients of Ollama read from their environment."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.client_settings import ClientSettings, ClientVariable

CLIENT: Final = ClientSettings(
    "OLLAMA_HOST",
    "",
    "OLLAMA_API_KEY",
    "Authorization",
    "Bearer ",
    clients="ollama, langchain-ollama",
    base_urls=(
        ClientVariable("OLLAMA_API_BASE", "", "litellm with `ollama/` and `ollama_chat/`"),
        # The second asks chat completions; the first puts /api/chat behind any path.
        ClientVariable("OLLAMA_BASE_URL", "/v1", "@langchain/ollama for JavaScript, pydantic-ai"),
    ),
)
