"""What a schema's errors mean, in words: the library's speak of schemas, ours of the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import ValidationError

from workbench.core.digest import json_type
from workbench.core.jsonspan import Path
from workbench.core.rules.schema import Violation
from workbench.core.rules.wording import counted, cut, dotted, either, listed, shown

_TYPE_WORDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}

# Keyword -> what is wrong; {value} is the text's, {wanted} the schema's.
_BOUNDS = {
    "minimum": "{value} is less than the minimum, {wanted}",
    "maximum": "{value} is more than the maximum, {wanted}",
    "exclusiveMinimum": "{value} is not more than {wanted}",
    "exclusiveMaximum": "{value} is not less than {wanted}",
    "multipleOf": "{value} is no multiple of {wanted}",
    "pattern": "{value} does not match the pattern {wanted}",
    "const": "{value} is not {wanted}",
    "uniqueItems": "the same item stands in it twice",
    "contains": "no item is as the schema wants one to be",
    "minContains": "too few items are as the schema wants {wanted} to be",
    "maxContains": "more than {wanted} items are as the schema describes",
}

# What is counted, and which end of it is limited.
_SIZES = {
    "minLength": ("character", "at least"),
    "maxLength": ("character", "at most"),
    "minItems": ("item", "at least"),
    "maxItems": ("item", "at most"),
    "minProperties": ("key", "at least"),
    "maxProperties": ("key", "at most"),
}


def explain(error: ValidationError, owner: str) -> Iterator[Violation]:
    """The violations that one error of the library stands for."""
    keyword = str(error.validator)
    path = tuple(error.absolute_path)
    if keyword == "required":
        name = dotted((*path, error.message))
        yield Violation(path, keyword, f"{name} is missing; {owner} requires it")
    elif keyword == "additionalProperties":
        yield _not_allowed(error, path, owner)
    elif keyword in ("anyOf", "oneOf") and error.context:
        yield from _no_branch(error, path, owner)
    else:
        yield Violation(path, keyword, _wrong(error, keyword, path))


def _place(path: Path) -> str:
    return f"{dotted(path)}: " if path else ""


def _wrong_type(path: Path, value: object, wanted: list[Any]) -> str:
    """``days: "two" is a string; the schema wants an integer``."""
    kind = json_type(value)
    if isinstance(value, str) or kind == "a number":
        what = f"{_place(path)}{shown(value)} is {kind}"
    else:
        what = f"{dotted(path) or 'the value'} is {kind}"
    return f"{what}; the schema wants {_types(wanted)}"


def _wrong(error: ValidationError, keyword: str, path: Path) -> str:
    if keyword == "type":
        return _wrong_type(path, error.instance, [error.validator_value])
    return _place(path) + _wrong_value(error, keyword)


def _wrong_value(error: ValidationError, keyword: str) -> str:
    value, wanted = error.instance, error.validator_value
    if keyword == "enum" and isinstance(wanted, list):
        return f"{shown(value)} is none of {listed(map(shown, wanted))}"
    if keyword in _BOUNDS:
        limit = cut(str(wanted)) if keyword == "pattern" else shown(wanted)
        return _BOUNDS[keyword].format(value=shown(value), wanted=limit)
    if keyword in _SIZES and isinstance(value, str | list | dict):
        unit, end = _SIZES[keyword]
        return f"{counted(len(value), unit)}; the schema wants {end} {shown(wanted)}"
    if keyword == "oneOf":
        return "fits more than one of the forms; the schema wants exactly one"
    if keyword == "None":  # the schema is false
        return "the schema allows nothing here"
    return f'{shown(value)} does not fit "{keyword}" of the schema'


def _types(wanted: list[Any]) -> str:
    """What types the schema wants, each named once, null last."""
    names = [name for item in wanted for name in (item if isinstance(item, list) else [item])]
    names = sorted(dict.fromkeys(names), key=lambda name: name == "null")
    return either([_TYPE_WORDS.get(name, name) for name in names])


def _not_allowed(error: ValidationError, path: Path, owner: str) -> Violation:
    *parent, name = path
    properties = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    allowed = tuple(key for key, schema in properties.items() if schema is not False)
    where = dotted(tuple(parent)) or owner
    message = f"{where} has no {dotted((name,))} (it has {listed(allowed)})"
    return Violation(path, "additionalProperties", message, allowed)


def _no_branch(error: ValidationError, path: Path, owner: str) -> Iterator[Violation]:
    """A value that fits none of several forms: told by the one it was surely meant to have."""
    branches: dict[Any, list[ValidationError]] = {}
    for child in error.context:
        branches.setdefault(child.relative_schema_path[0], []).append(child)
    meant = [b for b in branches.values() if not any(map(_has_wrong_type, b))]
    if len(meant) > 1:
        # Forms that differ by a constant, as ``kind``, name the one that is meant.
        meant = [b for b in meant if not any(map(_has_wrong_constant, b))] or meant
    if len(meant) == 1:
        for child in meant[0]:
            yield from explain(child, owner)
    elif meant:
        count = len(branches)
        message = f"{_place(path)}{shown(error.instance)} fits none of {count} forms"
        yield Violation(path, str(error.validator), message)
    else:
        wanted = [c.validator_value for b in branches.values() for c in b if _has_wrong_type(c)]
        yield Violation(path, str(error.validator), _wrong_type(path, error.instance, wanted))


def _has_wrong_type(error: ValidationError) -> bool:
    return error.validator == "type" and not error.relative_path


def _has_wrong_constant(error: ValidationError) -> bool:
    return error.validator in ("const", "enum") and len(error.relative_path) == 1
