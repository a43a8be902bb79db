"""Embeddings as the Ollama API sends them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.core.apis.embeddings import seed, vector
from workbench.core.apis.ollama.embeddings import reply
from workbench.core.replies.profile_names import ProfileName
from workbench.core.request_body import RequestError


def embedded(path: str, payload: dict[str, Any], profile: ProfileName = "stub") -> Any:
    return json.loads(b"".join(reply(payload, path, profile).parts))


def test_several() -> None:
    body = embedded("/api/embed", {"model": "m", "input": ["a", "b"]})
    assert body == {
        "embeddings": [vector(seed("a")), vector(seed("b"))],
        "model": "m",
        "total_duration": 1_000_000,
        "load_duration": 0,
        "prompt_eval_count": 2,
    }
    (only,) = embedded("/api/embed", {"input": "a"})["embeddings"]
    assert only == vector(seed("a"))


def test_one() -> None:
    body = embedded("/api/embeddings", {"model": "m", "prompt": "a"})
    assert body == {"embedding": vector(seed("a"))}


def test_the_dimensions_of_profile_openai() -> None:
    (only,) = embedded("/api/embed", {"input": "a", "dimensions": 3}, "openai")["embeddings"]
    assert len(only) == 3
    assert reply({"input": "a", "dimensions": 3}, "/api/embed", "stub").ignored == ["dimensions"]


def test_a_request_without_input() -> None:
    with pytest.raises(RequestError, match="input is missing"):
        reply({"model": "m"}, "/api/embed", "openai")
