"""The Messages API of Anthropic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.core.apis import api
from workbench.core.apis.client_settings import PLACEHOLDER_KEY, ClientSettings, ClientVariable

if TYPE_CHECKING:
    from workbench.core.apis.replies import Replies

# The second is Vertex AI's, the third Bedrock's, where a name may have slashes.
PATH: Final = re.compile(
    r"(?:/messages"
    r"|/models/(?<=/publishers/anthropic/models/)(?!count-tokens:)"
    r"(?P<vertex>[^/]+):(?:streamR|r)awPredict"
    r"|/model/(?P<bedrock>.+)/(?P<method>invoke(?:-with-response-stream)?))$"
)

CLIENT: Final = ClientSettings(
    "ANTHROPIC_BASE_URL",
    "",
    "ANTHROPIC_API_KEY",
    "x-api-key",
    headers=(("anthropic-version", "2023-06-01"),),
    clients="anthropic, pydantic-ai, litellm, Claude Code; anthropic and AI SDK for JavaScript",
    base_urls=(
        ClientVariable("ANTHROPIC_API_BASE", "", "litellm"),
        ClientVariable("ANTHROPIC_API_URL", "", "langchain-anthropic"),
        ClientVariable("ANTHROPIC_FOUNDRY_BASE_URL", "/anthropic", "AnthropicFoundry"),
        ClientVariable("ANTHROPIC_VERTEX_BASE_URL", "/v1", "AnthropicVertex"),
    ),
    placeholders=(
        ClientVariable("ANTHROPIC_FOUNDRY_API_KEY", PLACEHOLDER_KEY, "AnthropicFoundry"),
    ),
    # It names a base URL, too, and AnthropicFoundry refuses two.
    taken_out=("ANTHROPIC_FOUNDRY_RESOURCE",),
    other_key_headers=(("Authorization", "Bearer "), ("api-key", "")),
    hosts=("api.anthropic.com", "*.services.ai.azure.com"),
    endpoints=(ClientVariable("ANTHROPIC_FOUNDRY_RESOURCE", "workbench", "AnthropicFoundry"),),
)


def _request() -> api.RequestModule:
    from workbench.core.apis.messages import request

    return request


def _replies() -> Replies:
    from workbench.core.apis.framing import EVENTSTREAM, SSE
    from workbench.core.apis.messages import bedrock, earlier, read, write
    from workbench.core.apis.replies import Replies

    return Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer_for=bedrock.writer_for,
        limits=write.LIMITS,
        models=write.MODELS,
        references=earlier.REFERENCES,
        framings=(SSE, EVENTSTREAM),
    )


API: Final = api.API("messages", PATH, CLIENT, _request, _replies)
