"""The paths of Vertex AI: a request goes to the path of an upstream by which it came."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from workbench.core.apis.paths import received, target
from workbench.core.apis.table import api_of, view

GEMINI: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
CLAUDE: dict[str, Any] = {
    "anthropic_version": "vertex-2023-10-16",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "hi"}],
}
STREAMED = {**CLAUDE, "stream": True}
PLACE = "/v1beta1/projects/example.com%3Ap/locations/global"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (f"{PLACE}/publishers/google/models/gemini-x:generateContent", GEMINI),
        (f"{PLACE}/publishers/google/models/gemini-x:streamGenerateContent?alt=sse", GEMINI),
        ("/v1/publishers/google/models/gemini-x:generateContent", GEMINI),
        (f"{PLACE}/publishers/anthropic/models/claude%40x:rawPredict", CLAUDE),
        (
            f"{PLACE}/publishers/anthropic/models/claude%40x:streamRawPredict",
            {**CLAUDE, "stream": True},
        ),
    ],
)
@pytest.mark.parametrize("base", ["", "/as/gw0", "/v1/other"])
def test_a_request_has_the_path_by_which_it_came(base: str, path: str, body: Any) -> None:
    url = urlsplit(base + path)
    payload = received(url.path.replace("%3A", ":").replace("%40", "@"), url.query, body)
    assert payload is not None
    assert api_of(payload).request.target(payload) == (path, body)


def test_where_it_came_from_is_not_in_the_digest() -> None:
    paths = (
        f"{PLACE}/publishers/google/models/m:generateContent",
        "/v1beta/models/m:generateContent",
    )
    digests = {view(received(f"{path}:generateContent", "", GEMINI) or {}).digest for path in paths}
    assert len(digests) == 1


@pytest.mark.parametrize("parent", ["/v1/files", "/v1/../publishers/google/models", 1, None])
def test_another_path_in_a_log_is_not_asked(parent: object) -> None:
    path, _, _ = target({"api": "gemini", "model": "m", "parent": parent, **GEMINI})
    assert path == "/v1beta/models/m:generateContent"
