"""The hosts of the APIs."""

from __future__ import annotations

import pytest

from workbench.core.apis.hosts import Hosts

HOSTS = (
    *("api.openai.com", "my-1.openai.azure.com", "my.services.ai.azure.com"),
    *("my.cognitiveservices.azure.com", "api.anthropic.com", "generativelanguage.googleapis.com"),
    *("aiplatform.googleapis.com", "us-central1-aiplatform.googleapis.com"),
    *("bedrock-runtime.us-east-1.amazonaws.com", "api.groq.com", "openrouter.ai"),
    *("api.mistral.ai", "api.cohere.com", "api.together.xyz", "api.together.ai"),
    *("api-inference.together.ai", "api.fireworks.ai", "api.deepseek.com", "api.x.ai"),
    *("api.perplexity.ai", "api.cerebras.ai", "router.huggingface.co"),
    "models.inference.ai.azure.com",
)
OTHERS = (
    *("chatgpt.com", "openai.com", "api.openai.com.evil.example", "xapi.openai.com"),
    *("a.b.openai.azure.com", "evil.example/.openai.azure.com", "api-openai.com", ""),
    *("s3.us-east-1.amazonaws.com", "bedrock.us-east-1.amazonaws.com", "api.openai.com\n"),
)


@pytest.mark.parametrize("name", HOSTS)
def test_the_hosts_of_apis_are_known(name: str) -> None:
    assert Hosts().has(name)
    assert Hosts().has(name.upper() + ".")


@pytest.mark.parametrize("name", OTHERS)
def test_no_other_host_is(name: str) -> None:
    assert not Hosts().has(name)


def test_more_hosts_are_added() -> None:
    hosts = Hosts(["LLM.example.com", "*.models.example"])
    assert all(map(hosts.has, ("llm.example.com", "a.models.example", "api.openai.com")))
    assert not any(map(hosts.has, ("x.llm.example.com", "models.example", "llmxexample.com")))


@pytest.mark.parametrize(
    ("no_proxy", "expected"),
    [
        ("", []),
        ("localhost,127.0.0.1,example.com", []),
        ("api.openai.com", ["api.openai.com"]),
        (".Cohere.com , x", ["api.cohere.com"]),
        ("*.x.ai", ["api.x.ai"]),
        ("amazonaws.com", ["bedrock-runtime.*.amazonaws.com"]),
        ("i.com,ai.com", []),
    ],
)
def test_which_are_asked_past_a_proxy(no_proxy: str, expected: list[str]) -> None:
    assert Hosts().excepted_by(no_proxy) == expected


def test_all_may_be_asked_past_a_proxy() -> None:
    assert len(Hosts().excepted_by("*")) >= 20


@pytest.mark.parametrize(
    ("host", "path", "expected"),
    [
        ("api.openai.com", "/v1/chat/completions", ""),
        ("api.openai.com", "/v1/responses", ""),
        ("api.anthropic.com", "/v1/messages", ""),
        ("generativelanguage.googleapis.com", "/v1beta/models/m:generateContent", ""),
        ("bedrock-runtime.us-east-1.amazonaws.com", "/model/nova/converse", ""),
        ("API.groq.com", "/openai/v1/chat/completions", "https://api.groq.com"),
        ("api.anthropic.com", "/v1/chat/completions", "https://api.anthropic.com"),
        ("127.0.0.1:7899", "/v1/chat/completions", ""),
        ("mock-llm", "/v1/chat/completions", ""),
    ],
)
def test_a_host_is_shown_where_it_is_not_that_of_the_api(
    host: str, path: str, expected: str
) -> None:
    assert Hosts().beginning(host, path) == expected
