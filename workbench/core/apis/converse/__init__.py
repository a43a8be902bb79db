"""Converse, the API of Amazon Bedrock for every model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.core.apis import api
from workbench.core.apis.client_settings import PLACEHOLDER_KEY, ClientSettings, ClientVariable

if TYPE_CHECKING:
    from workbench.core.apis.replies import Replies

# The name of a model may be an ARN, which has slashes.
PATH: Final = re.compile(r"/model/(?P<model>.+)/(?P<method>converse(?:-stream)?)$")

_AWS: Final = (
    "boto3, strands, langchain-aws, AnthropicBedrock, litellm; AI SDK and AWS SDK for JavaScript"
)
_REGION: Final = "us-east-1"

CLIENT: Final = ClientSettings(
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "",
    "AWS_BEARER_TOKEN_BEDROCK",
    "Authorization",
    "Bearer ",
    clients="boto3, strands, langchain-aws; AI SDK and, over HTTP/1.1, AWS SDK for JavaScript",
    base_urls=(
        ClientVariable("AWS_BEDROCK_RUNTIME_ENDPOINT", "", "litellm with `bedrock/`"),
        ClientVariable("ANTHROPIC_BEDROCK_BASE_URL", "", "AnthropicBedrock"),
    ),
    placeholders=(
        ClientVariable("AWS_ACCESS_KEY_ID", PLACEHOLDER_KEY, _AWS),
        ClientVariable("AWS_SECRET_ACCESS_KEY", PLACEHOLDER_KEY, _AWS),
        ClientVariable("AWS_REGION", _REGION, _AWS),
        ClientVariable("AWS_DEFAULT_REGION", _REGION, "boto3, strands, langchain-aws"),
    ),
    taken_out=("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",),
    # Without it clients sign with a pair of keys; AnthropicBedrock refuses it beside such a pair.
    wants_key=False,
    hosts=("bedrock-runtime.*.amazonaws.com",),
)


def _request() -> api.RequestModule:
    from workbench.core.apis.converse import request

    return request


def _replies() -> Replies:
    from workbench.core.apis.converse import read, write
    from workbench.core.apis.framing import EVENTSTREAM
    from workbench.core.apis.replies import Replies

    return Replies(
        read=read.read,
        ends_stream=read.ends_stream,
        finish_reasons=read.FINISH_REASONS,
        writer_for=lambda _: write.WRITER,
        limits=write.LIMITS,
        framings=(EVENTSTREAM,),
    )


API: Final = api.API("converse", PATH, CLIENT, _request, _replies)
