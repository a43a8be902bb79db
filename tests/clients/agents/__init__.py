"""Agents of two tool calls, one for each client for Python, each written as the client's own quick
start has it.

They run where the client is installed, which this project is not: each imports its packages where
it is called.
"""

from __future__ import annotations

from tests.clients.agents import (
    anthropic_clients,
    bedrock_clients,
    cohere_clients,
    frameworks,
    google_clients,
    litellm_clients,
    more_frameworks,
    ollama_clients,
    openai_clients,
)

__all__ = [
    "anthropic_clients",
    "bedrock_clients",
    "cohere_clients",
    "frameworks",
    "google_clients",
    "litellm_clients",
    "more_frameworks",
    "ollama_clients",
    "openai_clients",
]
