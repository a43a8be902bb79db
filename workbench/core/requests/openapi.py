"""Schemas of the OpenAPI kind as JSON Schemas.

Gemini's clients write them: types in capitals, ``nullable``, keys in snake_case, counts as texts.
"""

from __future__ import annotations

from typing import Any, Final

Schema = dict[str, Any]

_COUNTS: Final = {
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
}
_NAMES: Final = {**_COUNTS, "any_of": "anyOf"}


def as_json_schema(schema: Schema) -> Schema:
    """The JSON Schema that says the same. One that is not of this kind is returned as it is."""
    kind = schema.get("type")
    if not (isinstance(kind, str) and kind.isupper()):
        return schema
    try:
        return _converted({**schema, "nullable": False})
    except RecursionError:
        return schema


def _converted(schema: Schema) -> Schema:
    found = {_NAMES.get(key, key): value for key, value in schema.items()}
    for key in _COUNTS.values():
        if isinstance(count := found.get(key), str) and count.isdecimal():
            found[key] = int(count)
    if isinstance(kind := found.get("type"), str):
        found["type"] = kind.lower()
    if isinstance(properties := found.get("properties"), dict):
        found["properties"] = {name: _inner(value) for name, value in properties.items()}
    if "items" in found:
        found["items"] = _inner(found["items"])
    if isinstance(options := found.get("anyOf"), list):
        found["anyOf"] = [_inner(option) for option in options]
    if found.pop("nullable", False) is True:
        return {"anyOf": [found, {"type": "null"}]}
    return found


def _inner(value: Any) -> Any:
    return _converted(value) if isinstance(value, dict) else value
