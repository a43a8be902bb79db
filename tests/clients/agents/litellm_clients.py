"""LiteLLM, once for each provider."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.clients.agents.openai_clients import MODEL, chat
from tests.clients.client import OF_CHAT, STREAM, TOOLS, client

# The models, by the API that LiteLLM asks for each.
MODELS = {
    "chat": (
        f"azure/{MODEL}",
        "cerebras/llama-3.3-70b",
        "deepseek/deepseek-chat",
        f"fireworks_ai/accounts/fireworks/models/{MODEL}",
        "groq/llama-3.3-70b-versatile",
        "mistral/mistral-large-latest",
        f"openai/{MODEL}",
        f"openrouter/openai/{MODEL}",
        f"together_ai/{MODEL}",
        "xai/grok-4",
    ),
    "converse": ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",),
    "cohere": ("cohere_chat/command-a-03-2025",),
    "messages": ("anthropic/claude-sonnet-5",),
    "ollama": ("ollama_chat/llama3.2",),
    "gemini": ("gemini/gemini-2.5-flash",),
}


def ask(model: str, mode: str) -> str:
    import litellm

    litellm.suppress_debug_info = True  # printed as if it were the answer

    def create(**asked: Any) -> Any:
        return litellm.completion(**asked)

    return chat(create, mode, model)


for _api, _models in MODELS.items():
    for _model in _models:
        _provider = _model.partition("/")[0]
        client(
            f"litellm-{_provider}",
            _api,
            "litellm",
            beside=("boto3",) if _provider == "bedrock" else (),
            part=f"`{_provider}/`",
            # LiteLLM asks Cohere for no JSON.
            modes=(TOOLS, STREAM) if _provider == "cohere_chat" else OF_CHAT,
            # Else it asks for prices at each start.
            environment={"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )(partial(ask, _model))
