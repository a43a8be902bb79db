"""Asking the model, with LangChain."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import httpx2
from langchain_core.messages import AIMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from tests.apps.research_team import search

Method = Literal["json_schema", "function_calling"]
_Answer = TypeVar("_Answer", bound=BaseModel)

MAX_SEARCHES = 3
_SEARCH = {
    "type": "function",
    "function": {
        "name": "web_search",
        "description": "Search the web.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "minLength": 1}},
            "required": ["query"],
        },
    },
}


class Model:
    """A chat model behind ``base_url``.

    Args:
        method: how structured output is asked for.
    """

    def __init__(self, base_url: str, method: Method = "json_schema") -> None:
        self._method = method
        self._http = httpx2.Client()
        self._chat = ChatOpenAI(
            base_url=base_url,
            api_key=SecretStr("none"),
            model="gpt-4o-mini",
            max_retries=0,
            http_client=self._http,
        )

    def close(self) -> None:
        self._http.close()

    def ask(self, shape: type[_Answer], system: str, text: str) -> _Answer:
        """A structured answer.

        Raises:
            ValueError: it has not the shape that was asked for.
        """
        structured: Any = self._chat.with_structured_output(shape, method=self._method)
        answer = structured.invoke([("system", system), ("user", text)])
        if not isinstance(answer, shape):
            raise ValueError(f"the model gave no {shape.__name__}")
        return answer

    def research(self, system: str, text: str) -> str:
        """An answer in the model's words, which may search before it.

        Raises:
            ValueError: it does nothing but search.
        """
        messages: list[Any] = [("system", system), ("user", text)]
        for _ in range(MAX_SEARCHES + 1):
            answer = self._chat.bind_tools([_SEARCH]).invoke(messages)
            assert isinstance(answer, AIMessage)
            if not (answer.tool_calls or answer.invalid_tool_calls):
                return str(answer.content)
            messages.append(answer)
            messages += [
                ToolMessage(_result(call), tool_call_id=str(call["id"]))
                for call in [*answer.tool_calls, *answer.invalid_tool_calls]
            ]
        raise ValueError(f"no answer after {MAX_SEARCHES} searches")


def _result(call: Any) -> str:
    """What a search finds, or why it found nothing, for the model."""
    if call["name"] != "web_search":
        return f"ERROR: there is no tool {call['name']}"
    arguments = call["args"]
    if not isinstance(arguments, dict) or not arguments.get("query"):
        return "ERROR: web_search needs a query"
    try:
        return search.web_search(arguments["query"])
    except OSError as error:
        return f"ERROR: {error}"
