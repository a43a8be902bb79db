"""Helpers to send requests to a mock."""

from __future__ import annotations

from typing import Any

from openai import OpenAI

from workbench.testing import MockLLM


def messages(user: str, system: str = "") -> list[Any]:
    first = [{"role": "system", "content": system}] if system else []
    return [*first, {"role": "user", "content": user}]


def ask(client: OpenAI, user: str = "hi", *, system: str = "", **more: Any) -> str:
    """Send one user message; returns the text of the reply."""
    more.setdefault("model", "gpt-4o-mini")
    reply = client.chat.completions.create(messages=messages(user, system), **more)
    return reply.choices[0].message.content or ""


def client_of(mock: MockLLM, **more: Any) -> OpenAI:
    """The official client, by default over a real socket. The caller closes it."""
    return OpenAI(**{"base_url": mock.base_url, "api_key": "none", "max_retries": 0, **more})


def tool(name: str, parameters: dict[str, Any] | None = None) -> Any:
    """A tool in the form of a request."""
    function = {"name": name, "parameters": parameters or {"type": "object", "properties": {}}}
    return {"type": "function", "function": function}


def forced(name: str) -> Any:
    return {"type": "function", "function": {"name": name}}


def nobody(question: str) -> str:
    """Fails if it is called."""
    raise AssertionError(f"a live call was made: {question}")
