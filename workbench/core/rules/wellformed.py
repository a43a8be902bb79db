"""Whether a schema says what it says in the form that JSON Schema wants.

A schema that does not is not checked against: ``"required": "city"`` read as a list would require
c, i, t and y.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from workbench.core.digest import json_type
from workbench.core.jsonspan import Path
from workbench.core.rules.wording import cut, dotted, shown

_MOST_PARTS: Final = 20_000
_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})

# Where a schema holds schemas: as it is, in a list, in an object.
_HOLDS_ONE: Final = frozenset(
    {"additionalItems", "additionalProperties", "contains", "else", "if", "not", "propertyNames"}
    | {"then"}
)
_HOLDS_LIST: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_HOLDS_MAP: Final = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)


class Unchecked(Exception):  # noqa: N818 - no error: the text says why nothing is known
    """A schema that cannot be used, or not to the end."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_divisor(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_type(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return all(isinstance(name, str) and name in _TYPES for name in names)


_FORMS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "type": (_is_type, "the name of a type"),
    "enum": (_is_list, "a list"),
    "required": (_is_names, "a list of names"),
    "pattern": (_is_text, "a string"),
    "uniqueItems": (_is_flag, "true or false"),
    "multipleOf": (_is_divisor, "a number above 0"),
    "$ref": (_is_text, "a string"),
    "$dynamicRef": (_is_text, "a string"),
    "$recursiveRef": (_is_text, "a string"),
    "minimum": (_is_number, "a number"),
    "maximum": (_is_number, "a number"),
    "exclusiveMinimum": (_is_number, "a number"),
    "exclusiveMaximum": (_is_number, "a number"),
    **{
        f"{bound}{what}": (_is_count, "a number of at least 0")
        for bound in ("min", "max")
        for what in ("Contains", "Items", "Length", "Properties")
    },
}


def require_well_formed(schema: dict[str, Any]) -> None:
    """Raise Unchecked unless ``schema`` is one, of a size that can be worked with.

    What stands where no schema stands (in an ``enum``, say) is not looked at, except that no part
    may bring a dialect or an address of its own: the library would follow it.
    """
    _refuse_own_rules(schema)
    open_parts: list[tuple[Path, Any]] = [((), schema)]
    while open_parts:
        path, part = open_parts.pop()
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict):
            raise Unchecked(f"the schema is malformed: {dotted(path)} is {json_type(part)}")
        for key, value in part.items():
            where = (*path, key)
            check, wanted = _FORMS.get(key, (None, ""))
            if check and not check(value):
                raise Unchecked(
                    f"the schema is malformed: {dotted(where)} is {shown(value)}, not {wanted}"
                )
            open_parts += _parts(key, value, where)


def _parts(key: str, value: Any, path: Path) -> list[tuple[Path, Any]]:
    """The schemas that ``value`` holds as ``key`` of a schema."""
    if key in _HOLDS_ONE:
        return [(path, value)]
    if key == "items":
        items = value if isinstance(value, list) else [value]
        return [(path, item) for item in items]
    if key in _HOLDS_LIST:
        if not isinstance(value, list):
            raise Unchecked(f"the schema is malformed: {dotted(path)} is {json_type(value)}")
        return [((*path, index), item) for index, item in enumerate(value)]
    if key in _HOLDS_MAP:
        if not isinstance(value, dict):
            raise Unchecked(f"the schema is malformed: {dotted(path)} is {json_type(value)}")
        return [((*path, name), item) for name, item in value.items()]
    return []


def _refuse_own_rules(schema: dict[str, Any]) -> None:
    count = 0
    stack: list[Any] = [schema]
    while stack:
        part = stack.pop()
        count += 1
        if count > _MOST_PARTS:
            raise Unchecked(f"the schema has more than {_MOST_PARTS:,} parts")
        if isinstance(part, dict):
            if part is not schema:
                own = next((k for k in ("$schema", "$id") if isinstance(part.get(k), str)), None)
                if own:
                    raise Unchecked(f"a part of the schema has its own {own}: {cut(part[own])}")
            stack += part.values()
        elif isinstance(part, list):
            stack += part
