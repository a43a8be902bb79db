"""The sommelier: lets the model pick a search, and write the answer from what was found."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from openai import OpenAI

from tests.apps.sommelier import catalogue

SYSTEM = (
    "You are a sommelier. Search the catalogue, then recommend wines from it alone, each in a "
    "section: [WINE:<id>], the name in bold on the next line, then why."
)
MAX_TURNS = 4


class Sommelier:
    def __init__(self, client: OpenAI, model: str = "gpt-4o-mini") -> None:
        self._client = client
        self._model = model

    def answer(self, query: str) -> str:
        """The recommendation.

        Raises:
            RuntimeError: the model does nothing but search.
        """
        messages: list[Any] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": query},
        ]
        for _ in range(MAX_TURNS):
            reply = self._client.chat.completions.create(
                model=self._model,
                messages=messages,
                tools=catalogue.TOOLS,  # type: ignore[arg-type]
            )
            message = reply.choices[0].message
            if not message.tool_calls:
                return message.content or ""
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                result = self._search(call)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        raise RuntimeError(f"no answer in {MAX_TURNS} turns")

    def _search(self, call: Any) -> str:
        """What a tool finds, as JSON; what is wrong with the call, for the model to mend."""
        tools: dict[str, Callable[..., Any]] = {
            "search_wines": catalogue.execute_search_wines,
            "semantic_search": catalogue.execute_semantic_search,
        }
        if call.function.name not in tools:
            return f"ERROR: there is no tool {call.function.name}"
        try:
            arguments = _in_our_words(json.loads(call.function.arguments))
            found = tools[call.function.name](**arguments)
        except (TypeError, ValueError) as error:
            return f"ERROR: {error}"
        return json.dumps(found, ensure_ascii=False)


def _in_our_words(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the catalogue has them; models write Red and "30"."""
    mended = dict(arguments)
    if isinstance(mended.get("colour"), str):
        mended["colour"] = mended["colour"].casefold()
    for key in ("min_price", "max_price"):
        if key in mended:
            mended[key] = float(mended[key])
    return mended
