"""The agent's tool: the weather of a few cities, which never changes."""

from __future__ import annotations

import json
from typing import Any

from openai.types.chat import ChatCompletionToolParam

GET_WEATHER: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name of the city, in English."},
                "unit": {"type": "string", "enum": ["c", "f"], "default": "c"},
            },
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}

_CELSIUS_AND_SKY = {
    "London": (12, "rain"),
    "Paris": (17, "cloudy"),
    "Lisbon": (21, "clear"),
    "Oslo": (4, "snow"),
}


def get_weather(city: str, unit: str = "c") -> dict[str, Any]:
    """The weather of ``city``.

    Raises:
        LookupError: no station there.
    """
    if city not in _CELSIUS_AND_SKY:
        raise LookupError(f"no weather station in {city}")
    celsius, sky = _CELSIUS_AND_SKY[city]
    degrees = round(celsius * 9 / 5 + 32) if unit == "f" else celsius
    return {"city": city, "degrees": degrees, "unit": unit, "sky": sky}


def run_call(name: str, arguments: str) -> str:
    """What a call of the model gives back to the model; what is wrong with it included."""
    try:
        if name != "get_weather":
            raise LookupError(f"there is no tool {name}, only get_weather")
        return json.dumps(get_weather(**json.loads(arguments)))
    except (LookupError, TypeError, ValueError) as error:
        return f"ERROR: {error.args[0]}"
