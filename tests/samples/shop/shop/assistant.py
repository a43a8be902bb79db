"""The assistant that answers customers, at the desk for orders or for returns."""

from __future__ import annotations

import json
from typing import Any

from openai import OpenAI

from shop.store import Store, StoreError

MODEL = "gpt-4o-mini"
ORDERS_PROMPT = (
    "You help customers of Lighthouse Books with their orders. "
    "Look an order up before you answer. Answer in one or two sentences."
)
RETURNS_PROMPT = (
    "You handle returns for Lighthouse Books. "
    "Look the order up first. Refund only what was delivered in the last 30 days."
)
MAX_TURNS = 6


def _tool(name: str, description: str, **properties: str) -> dict[str, Any]:
    """A tool as the API takes it. Each property has its type; all are required."""
    parameters = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


FIND_ORDERS = _tool("find_orders", "Numbers of a customer's orders.", email="string")
GET_ORDER = _tool("get_order", "An order with its state.", number="integer")
TRACK_PARCEL = _tool("track_parcel", "Where a parcel is.", number="integer")
CANCEL_ORDER = _tool("cancel_order", "Cancel an order.", number="integer")
REFUND = _tool("refund", "Pay an order back.", number="integer", reason="string")

ORDERS_TOOLS = [FIND_ORDERS, GET_ORDER, TRACK_PARCEL, CANCEL_ORDER]
RETURNS_TOOLS = [FIND_ORDERS, GET_ORDER, REFUND]


class Assistant:
    """A conversation with a customer, with the system prompt and the tools of a desk."""

    def __init__(
        self, client: OpenAI, store: Store, prompt: str, tools: list[dict[str, Any]]
    ) -> None:
        self._client = client
        self._store = store
        self._tools: list[Any] = tools
        self._messages: list[Any] = [{"role": "system", "content": prompt}]

    def ask(self, question: str) -> str:
        """The answer to a question. Raises RuntimeError if the model only calls tools."""
        self._messages.append({"role": "user", "content": question})
        for _ in range(MAX_TURNS):
            completion = self._client.chat.completions.create(
                model=MODEL, messages=self._messages, tools=self._tools
            )
            message = completion.choices[0].message
            self._messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return message.content or ""
            for call in message.tool_calls:
                if call.type == "function":
                    result = self._run(call.function.name, call.function.arguments)
                    self._messages.append(
                        {"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)}
                    )
        raise RuntimeError(f"no answer in {MAX_TURNS} turns")

    def _run(self, name: str, arguments: str) -> Any:
        """What a tool returns; an error is told to the model."""
        if name not in {tool["function"]["name"] for tool in self._tools}:
            return {"error": f"there is no tool {name}"}
        try:
            return getattr(self._store, name)(**json.loads(arguments))
        except (StoreError, TypeError, ValueError) as error:
            return {"error": str(error)}
