"""Parts of a fixture's response that an API cannot express."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from workbench.core.json.spans import Path
from workbench.core.json.values import mapping, mappings


class Limit(NamedTuple):
    """One thing that the replies of an API leave out, and the places where a ``response`` has
    it.
    """

    what: str
    places: Callable[[Mapping[str, Any]], Iterator[Path]]


def _custom_calls(response: Mapping[str, Any]) -> Iterator[Path]:
    for place, call in enumerate(mappings(response.get("tool_calls"))):
        if call.get("type") == "custom":
            yield "tool_calls", place


def _text_beside_refusal(response: Mapping[str, Any]) -> Iterator[Path]:
    if response.get("refusal") and response.get("content"):
        yield ("content",)


def _completion_details(response: Mapping[str, Any]) -> Iterator[Path]:
    if mapping(response.get("usage")).get("completion_tokens_details"):
        yield "usage", "completion_tokens_details"


CUSTOM_CALLS: Final = Limit("calls of custom tools", _custom_calls)
TEXT_BESIDE_REFUSAL: Final = Limit("content beside a refusal", _text_beside_refusal)
COMPLETION_DETAILS: Final = Limit("details of the completion tokens", _completion_details)
