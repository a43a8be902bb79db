"""The tool that all agents call, and the form of the structured answer."""

from __future__ import annotations

from typing import Any, Final

DESCRIPTION: Final = "The weather of a city."
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
WARM_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "celsius": {"type": "integer"}},
    "required": ["city", "celsius"],
    "additionalProperties": False,
}


def warm_model() -> Any:
    """The same form as a class of pydantic, which not every client brings."""
    from pydantic import BaseModel

    class Warm(BaseModel):
        """Where it is warm."""

        city: str
        celsius: int

    return Warm


def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: its name
    """
    return f"21 C in {city}"
