"""Documents and output formats, which requests of both versions have in one form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.json.values import compact

# Client libraries put the output of a function under this key.
_OUTPUT: Final = "output"


def documents_message(documents: object) -> Iterator[dict[str, Any]]:
    """The message of the documents that an answer is to be drawn from."""
    items = documents if isinstance(documents, list) else []
    if parts := [text_part(text) for text in map(document_text, items)]:
        yield {"role": "system", "content": parts}


def document_text(document: object) -> str:
    """A document as text. The document is a string or an object with its data."""
    data = document.get("data") if isinstance(document, dict) else document
    if isinstance(data, dict) and data.keys() == {_OUTPUT}:
        data = data[_OUTPUT]
    return data if isinstance(data, str) else compact(data)


def text_part(text: str) -> dict[str, Any]:
    """A text as a part of a content."""
    return {"type": "text", "text": text}


def response_format(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """The output format of a request as chat has it; None for text."""
    if value.get("type") != "json_object":
        return None
    # The second is the key of version 1, which was renamed.
    schema = value.get("json_schema") or value.get("schema")
    if isinstance(schema, dict):
        return {"type": "json_schema", "json_schema": {"name": "output", "schema": schema}}
    return {"type": "json_object"}
