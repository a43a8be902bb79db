"""Gemini's generateContent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.core.apis import api
from workbench.core.apis.client_settings import PLACEHOLDER_KEY, ClientSettings, ClientVariable

if TYPE_CHECKING:
    from workbench.core.apis.replies import Replies

PATH: Final = re.compile(r"/models/(?P<model>[^/]+):(?P<method>(?:streamG|g)enerateContent)$")

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
    endpoints=(
        ClientVariable("GOOGLE_GENERATIVE_AI_API_KEY", PLACEHOLDER_KEY, "`@ai-sdk/google`, Mastra"),
        ClientVariable("GOOGLE_API_KEY", PLACEHOLDER_KEY, "LangChain.js, promptfoo"),
    ),
)


def _request() -> api.RequestModule:
    from workbench.core.apis.gemini import request

    return request


def _replies() -> Replies:
    from workbench.core.apis.gemini import read, write
    from workbench.core.apis.replies import Replies

    return Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer_for=write.writer_for,
        limits=write.LIMITS,
        models=write.MODELS,
        # Earlier models give a reason for the end in each chunk.
        may_go_on=True,
    )


API: Final = api.API("gemini", PATH, CLIENT, _request, _replies)
