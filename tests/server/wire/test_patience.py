"""How long clients wait, by the headers that their newest versions send."""

from __future__ import annotations

import pytest

from workbench.server.wire.waiting import patience

GEMINI = {"x-goog-api-client": "google-genai-sdk/3.6.1 gl-python/3.11"}
FETCH = {"sec-fetch-mode": "cors"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"user-agent": "python-requests/2.32"}, None),
        ({"x-stainless-read-timeout": "600"}, 300),
        ({"x-stainless-read-timeout": "4.5"}, 4.5),
        ({**FETCH, "x-stainless-lang": "js"}, 300),
        ({**FETCH, "x-stainless-timeout": "20"}, 20),
        (GEMINI, 300),
        ({**GEMINI, "x-server-timeout": "30"}, 30),
        ({"x-goog-api-client": "gl-python/3.11"}, None),
        ({"x-stainless-read-timeout": "None"}, 300),
        ({"x-stainless-read-timeout": "-1"}, 300),
        ({"x-stainless-read-timeout": "nan"}, 300),
    ],
)
def test_how_long_a_client_waits(headers: dict[str, str], seconds: float | None) -> None:
    assert patience(headers) == seconds
