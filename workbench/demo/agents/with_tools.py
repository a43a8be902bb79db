"""Agents that call tools and go on from the results."""

from __future__ import annotations

from typing import Any

from workbench.demo.agents.asking import SMALL, Ask, Tool, converse, say, tool
from workbench.demo.client import Message

# A weather assistant: a tool call, its result, an answer.

GET_WEATHER = tool(
    "get_weather",
    "Current weather of a city.",
    ["city"],
    city={"type": "string", "description": "Name of the city, in English."},
    unit={"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
)
_WEATHER = {
    "London": {"temperature": 12, "sky": "light rain", "wind_kmh": 19},
    "Lisbon": {"temperature": 21, "sky": "clear", "wind_kmh": 8},
    "Porto": {"temperature": 17, "sky": "overcast", "wind_kmh": 31},
}
_QUESTIONS = (
    "What's the weather in London?",
    "Do I need an umbrella in Lisbon?",
    "Is it windy in Porto?",
)
_WEATHER_SYSTEM = (
    "You are a weather assistant. Call get_weather for each city you are asked about, "
    "then answer in one sentence."
)


def weather(ask: Ask) -> None:
    tools: dict[str, Tool] = {"get_weather": lambda arguments: _WEATHER[arguments["city"]]}
    for question in _QUESTIONS:
        messages = [say("system", _WEATHER_SYSTEM), say("user", question)]
        converse(ask, {"model": SMALL, "messages": messages, "tools": [GET_WEATHER]}, tools)


# A sommelier: two tools, one of which must be called.

SEARCH_WINES = tool(
    "search_wines",
    "Search the wine catalogue.",
    ["query"],
    query={"type": "string", "description": "What the wine should be like."},
    colour={"type": "string", "enum": ["red", "white", "rosé", "sparkling"]},
    max_price={"type": "number", "minimum": 0, "description": "Euros a bottle."},
)
ASK_USER = tool(
    "ask_user",
    "Ask the guest something that decides the choice.",
    ["question"],
    question={"type": "string"},
)
_CATALOGUE = [
    {"name": "Rioja Crianza 2019", "colour": "red", "price": 14.5},
    {"name": "Saint-Émilion Grand Cru 2016", "colour": "red", "price": 29.9},
    {"name": "Crémant de Loire brut", "colour": "sparkling", "price": 12.8},
]


def _search_wines(arguments: dict[str, Any]) -> object:
    colour, price = arguments.get("colour"), arguments.get("max_price")
    return [
        wine
        for wine in _CATALOGUE
        if colour in (None, wine["colour"]) and (price is None or wine["price"] <= price)
    ]


def sommelier(ask: Ask) -> None:
    tools: dict[str, Tool] = {
        "search_wines": _search_wines,
        "ask_user": lambda _: "Something with bubbles, around 15 euros.",
    }

    def demand(request: dict[str, Any]) -> Message:
        """Ask for a call of a tool in the first two turns."""
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        return ask({**request, "tool_choice": "required" if turn < 2 else "auto"})

    for wish in ("Red wine under 30 for Sunday's lamb, please.", "Something for a party?"):
        messages = [
            say("system", "You are the sommelier of a wine shop. Recommend from the catalogue."),
            say("user", wish),
        ]
        request = {
            "model": SMALL,
            "temperature": 0.3,
            "messages": messages,
            "tools": [SEARCH_WINES, ASK_USER],
        }
        converse(demand, request, tools)
