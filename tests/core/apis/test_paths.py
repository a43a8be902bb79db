"""The API that is asked at a path."""

from __future__ import annotations

import pytest

from workbench.core.apis.paths import api_at


@pytest.mark.parametrize(
    ("path", "api"),
    [
        ("/v1/chat/completions", "chat"),
        ("/v1/responses", "responses"),
        ("/v1/messages", "messages"),
        ("/v1/messages/count_tokens", "messages"),
        ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini"),
        ("/v1beta/models/gemini-2.5-pro:countTokens", "gemini"),
        ("/v1/embeddings", "chat"),
        ("/", "chat"),
    ],
)
def test_an_error_has_the_shape_of_the_api_that_is_asked(path: str, api: str) -> None:
    assert api_at(path).name == api
