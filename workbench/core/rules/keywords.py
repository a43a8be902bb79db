"""The keywords of JSON Schema as they may be trusted to run: each pays for its work first.

Patterns run in an engine that can be stopped, references reach no further than the schema, and
what is left is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from workbench.core.rules.wellformed import Unchecked
from workbench.core.rules.wording import cut

if TYPE_CHECKING:
    import regex
    from jsonschema import ValidationError

# The work one check may do. A step is one keyword or one thing it looks at: microseconds.
MOST_STEPS: Final = 200_000
_STEPS_OF_A_PATTERN: Final = 200
# A name is looked for in the whole schema; an error has the text of what is wrong in it.
_CHARACTERS_OF_SCHEMA_A_STEP: Final = 20
_CHARACTERS_OF_TEXT_A_STEP: Final = 1_000

# Seconds. A fair pattern needs microseconds; the few that need more get another chance.
_PATTERN_TIME: Final = 0.002
_SLOW_PATTERN_TIME: Final = 0.1
_MOST_SLOW_PATTERNS: Final = 5
_LONGEST_PATTERN: Final = 1_000

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


@dataclass(slots=True)
class Budget:
    """The work that one check may still do.

    Attributes:
        error_steps: what an error costs.
        name_steps: what finding a part of the schema by a name costs.
    """

    steps: int
    error_steps: int = 1
    name_steps: int = 1
    slow_patterns: int = _MOST_SLOW_PATTERNS
    # Of one check; the answer to the same question costs nothing.
    matches: dict[tuple[str, str], bool] = field(default_factory=dict)

    def set_prices(self, schema: str, text: str) -> None:
        """Set what depends on the length of the schema and of the text checked."""
        self.error_steps = 1 + len(text) // _CHARACTERS_OF_TEXT_A_STEP
        self.name_steps = 1 + len(schema) // _CHARACTERS_OF_SCHEMA_A_STEP

    def spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise Unchecked("the schema takes too long to check")

    def matches_pattern(self, pattern: str, text: str) -> bool:
        if (pattern, text) not in self.matches:
            self.spend(_STEPS_OF_A_PATTERN)
            self.matches[pattern, text] = self._search(pattern, text)
        return self.matches[pattern, text]

    def _search(self, pattern: str, text: str) -> bool:
        compiled = _pattern(pattern)
        try:
            return compiled.search(text, timeout=_PATTERN_TIME) is not None
        except TimeoutError:
            self.slow_patterns -= 1
        try:
            if self.slow_patterns >= 0:
                return compiled.search(text, timeout=_SLOW_PATTERN_TIME) is not None
        except TimeoutError:
            pass
        raise Unchecked(f"the pattern {cut(pattern)} takes too long")


# The keywords are functions of the library's form, which leaves no other way to hand it to them.
budget: ContextVar[Budget] = ContextVar("budget")


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> regex.Pattern[str]:
    import regex

    if len(pattern) > _LONGEST_PATTERN:
        raise Unchecked(f"a pattern is longer than {_LONGEST_PATTERN:,} characters")
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise Unchecked(f"the pattern {cut(pattern)} cannot be read ({error})") from None


def guarded(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a dialect, guarded."""
    return {name: _counted(name, run) for name, run in {**keywords, **_own_keywords()}.items()}


def _counted(name: str, keyword: Any) -> Any:
    """``keyword``, which pays for its work first."""

    def run(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        left = budget.get()
        left.spend(1 + _size(value) + _size(instance))
        if name == "uniqueItems":  # each with each, where they cannot be sorted
            left.spend(_size(instance) ** 2 // 20)
        if name in _REFERENCES:
            if not value.startswith("#"):
                raise Unchecked(f"it refers to {cut(value)}, and nothing is fetched")
            left.spend(len(value) if value[1:2] in ("", "/") else left.name_steps)
        for error in keyword(validator, value, instance, schema) or ():
            left.spend(left.error_steps)
            yield error

    return run


def _size(value: object) -> int:
    return len(value) if isinstance(value, list | dict) else 0


def _own_keywords() -> dict[str, Any]:
    return {
        "properties": _check_properties,
        "required": _check_required,
        "pattern": _check_pattern,
        "patternProperties": _check_pattern_properties,
        "additionalProperties": _check_additional_properties,
        "unevaluatedProperties": _refuse("unevaluatedProperties"),
        "unevaluatedItems": _refuse("unevaluatedItems"),
        "format": _ignore,
    }


def _check_properties(
    validator: Any, properties: Any, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    """The library loses the name of a property whose schema is false."""
    from jsonschema import ValidationError

    if isinstance(instance, dict):
        for name, subschema in properties.items():
            if name not in instance:
                continue
            if subschema is False:
                yield ValidationError("", validator="additionalProperties", path=[name])
            else:
                yield from validator.descend(instance[name], subschema, path=name, schema_path=name)


def _check_required(
    _validator: Any, names: Any, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    """One error for each name, whose message is the name."""
    from jsonschema import ValidationError

    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield ValidationError(name)


def _check_pattern(
    _validator: Any, pattern: Any, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if isinstance(instance, str) and not budget.get().matches_pattern(pattern, instance):
        yield ValidationError("")


def _check_pattern_properties(
    validator: Any, patterns: Any, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            for key, value in instance.items():
                if budget.get().matches_pattern(pattern, key):
                    yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _check_additional_properties(
    validator: Any, allowed: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """One error for each property, at the property; the library has one for all of them."""
    from jsonschema import ValidationError

    if not isinstance(instance, dict):
        return
    patterns = schema.get("patternProperties", {})
    for key, value in instance.items():
        if key in schema.get("properties", {}):
            continue
        if any(budget.get().matches_pattern(pattern, key) for pattern in patterns):
            continue
        if allowed is False:
            yield ValidationError("", path=[key])
        else:
            yield from validator.descend(value, allowed, path=key)


def _ignore(*_: Any) -> None:
    """A keyword that asserts nothing."""


def _refuse(name: str) -> Any:
    def run(*_: Any) -> None:
        raise Unchecked(f"{name} is not checked")

    return run
