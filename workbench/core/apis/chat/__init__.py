"""The chat completions API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.core.apis import api
from workbench.core.apis.client_settings import PLACEHOLDER_KEY, ClientSettings, ClientVariable

if TYPE_CHECKING:
    from workbench.core.apis.replies import Replies

PATH: Final = re.compile(r"/chat/completions$")

CLIENT: Final = ClientSettings(
    "OPENAI_BASE_URL",
    "/v1",
    "OPENAI_API_KEY",
    "Authorization",
    "Bearer ",
    clients="openai, openai-agents, pydantic-ai, litellm; openai and AI SDK for JavaScript",
    base_urls=(
        ClientVariable("OPENAI_API_BASE", "/v1", "langchain-openai, litellm"),
        ClientVariable("AZURE_OPENAI_ENDPOINT", "", "AzureOpenAI of openai, AzureChatOpenAI"),
        ClientVariable("AZURE_API_BASE", "", "litellm with `azure/`"),
        ClientVariable("CEREBRAS_BASE_URL", "/cerebras", "cerebras-cloud-sdk"),
        ClientVariable("CEREBRAS_API_BASE", "/v1", "litellm with `cerebras/`"),
        ClientVariable("DEEPSEEK_API_BASE", "/v1", "langchain-deepseek, litellm"),
        ClientVariable("DEEPSEEK_BASE_URL", "/v1", "crewai with `deepseek/`"),
        ClientVariable("FIREWORKS_BASE_URL", "", "fireworks-ai"),
        ClientVariable("FIREWORKS_API_BASE", "/inference/v1", "litellm with `fireworks_ai/`"),
        ClientVariable("GROQ_BASE_URL", "", "groq; groq-sdk for JavaScript"),
        ClientVariable("GROQ_API_BASE", "/openai/v1", "litellm with `groq/`"),
        ClientVariable("MISTRAL_API_BASE", "/mistral/v1", "any-llm, litellm for embeddings"),
        ClientVariable("MISTRAL_AZURE_API_BASE", "/v1", "litellm with `mistral/`"),
        ClientVariable("MISTRAL_BASE_URL", "/mistral/v1", "langchain-mistralai"),
        ClientVariable("MISTRAL_ENDPOINT", "/mistral", "llama-index-llms-mistralai"),
        ClientVariable("OPENROUTER_API_BASE", "/api/v1", "langchain-openrouter, litellm"),
        ClientVariable("OPENROUTER_BASE_URL", "/api/v1", "crewai with `openrouter/`"),
        ClientVariable("PERPLEXITY_BASE_URL", "", "perplexityai"),
        ClientVariable("PERPLEXITY_API_BASE", "", "litellm with `perplexity/`"),
        ClientVariable("TOGETHER_BASE_URL", "/v1", "together; together-ai for JavaScript"),
        ClientVariable("TOGETHER_AI_API_BASE", "/v1", "litellm with `together_ai/`"),
        ClientVariable("TOGETHER_API_BASE", "/v1", "langchain-together"),
        ClientVariable("XAI_API_BASE", "/v1", "litellm with `xai/`"),
    ),
    placeholders=(
        *(
            ClientVariable(name, PLACEHOLDER_KEY, clients)
            for name, clients in (
                ("AZURE_OPENAI_API_KEY", "AzureOpenAI of openai, AzureChatOpenAI"),
                ("AZURE_API_KEY", "litellm with `azure/`"),
                ("CEREBRAS_API_KEY", "cerebras-cloud-sdk, litellm"),
                ("DEEPSEEK_API_KEY", "litellm with `deepseek/`"),
                ("FIREWORKS_API_KEY", "fireworks-ai, litellm"),
                ("GROQ_API_KEY", "groq, litellm"),
                ("MISTRAL_API_KEY", "mistralai, litellm"),
                ("OPENROUTER_API_KEY", "openrouter, litellm"),
                ("PERPLEXITY_API_KEY", "perplexityai, litellm"),
                ("TOGETHER_API_KEY", "together, litellm"),
                ("XAI_API_KEY", "litellm with `xai/`"),
            )
        ),
        # With the variables of Azure set, too, openai.chat.completions.create() refuses to choose.
        ClientVariable("OPENAI_API_TYPE", "openai", "openai, for calls of the module itself"),
    ),
    other_key_headers=(("api-key", ""),),
    hosts=(
        "api.openai.com",
        *("*.openai.azure.com", "*.cognitiveservices.azure.com", "models.inference.ai.azure.com"),
        *("api.cerebras.ai", "api.deepseek.com", "api.fireworks.ai"),
        *("api.groq.com", "api.mistral.ai", "api.perplexity.ai", "api.x.ai"),
        *("api.together.xyz", "api.together.ai", "api-inference.together.ai"),
        *("openrouter.ai", "router.huggingface.co"),
    ),
    endpoints=(
        ClientVariable(
            "AZURE_OPENAI_ENDPOINT",
            "https://workbench.openai.azure.com",
            "AzureOpenAI of openai, AzureChatOpenAI",
        ),
        ClientVariable(
            "AZURE_API_BASE", "https://workbench.openai.azure.com", "litellm with `azure/`"
        ),
    ),
)


def _request() -> api.RequestModule:
    from workbench.core.apis.chat import request

    return request


def _replies() -> Replies:
    from workbench.core.apis import embeddings
    from workbench.core.apis.chat import read, write
    from workbench.core.apis.replies import Replies

    return Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer_for=write.writer_for,
        embeddings=embeddings.reply,
    )


API: Final = api.API("chat", PATH, CLIENT, _request, _replies)
