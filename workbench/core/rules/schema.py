"""Whether a JSON text fits a JSON Schema, where the schema may be made to do harm.

Schemas come from logs. Nothing is fetched, references reach no further than the schema itself,
patterns run in an engine that can be stopped, and the work is counted: what takes too long, or
cannot be understood, is said to be unchecked. What was found until then stands.

jsonschema is loaded with the first schema: reading fixtures does without.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from workbench.core.jsonspan import Path
from workbench.core.rules.jsontext import JSONText
from workbench.core.rules.keywords import MOST_STEPS, Budget, budget, guarded
from workbench.core.rules.wellformed import Unchecked, require_well_formed
from workbench.core.rules.wording import cut

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_MOST_TEXT: Final = 1_000_000
_MOST_SCHEMA: Final = 500_000
_MOST_VIOLATIONS: Final = 100
# What a check costs besides its keywords.
_STEPS_OF_A_CHECK: Final = 50
_CHARACTERS_WRITTEN_A_STEP: Final = 100

_DIALECTS = ("draft-06/schema", "draft-07/schema", "draft/2019-09/schema", "draft/2020-12/schema")


@dataclass(frozen=True, slots=True)
class Violation:
    """One value that does not fit.

    Attributes:
        path: the value; of a property that is not allowed the property.
        keyword: of the schema, that it breaks.
        message: says it, with the place.
        allowed: for a property that is not allowed, those that are; else None.
    """

    path: Path
    keyword: str
    message: str
    allowed: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a text does not fit its schema, and why some of it was not checked, if so.

    Attributes:
        steps: the work it took.
    """

    violations: tuple[Violation, ...]
    unchecked: str | None = None
    steps: int = field(default=0, compare=False)


def examine(
    schema: Mapping[str, Any], text: JSONText, owner: str, *, steps: int = MOST_STEPS
) -> Verdict:
    """Hold ``text`` against ``schema``.

    Args:
        owner: whose schema it is, for the messages.
        steps: the work it may take.
    """
    found: list[Violation] = []
    work = Budget(min(steps, MOST_STEPS))
    unchecked = _examine(schema, text, owner, work, found)
    return Verdict(tuple(found), unchecked, min(steps, MOST_STEPS) - work.steps)


def _examine(
    schema: Mapping[str, Any], text: JSONText, owner: str, work: Budget, found: list[Violation]
) -> str | None:
    """Add to ``found`` what does not fit; returns why some of the text was not checked, if so."""
    from workbench.core.rules.violations import explain

    token = budget.set(work)
    try:
        work.spend(_STEPS_OF_A_CHECK)
        if len(text.text) > _MOST_TEXT:
            raise Unchecked(f"the text is longer than {_MOST_TEXT:,} characters")
        schema_json = json.dumps(schema)
        if len(schema_json) > _MOST_SCHEMA:
            raise Unchecked(f"the schema is longer than {_MOST_SCHEMA:,} characters")
        work.spend(len(schema_json) // _CHARACTERS_WRITTEN_A_STEP)
        work.set_prices(schema_json, text.text)
        for error in _compiled(schema_json).iter_errors(text.value):
            if len(found) >= _MOST_VIOLATIONS:
                raise Unchecked(f"more than {_MOST_VIOLATIONS} places do not fit")
            found += explain(error, owner)
    except Unchecked as reason:
        return str(reason)
    except RecursionError:
        return "the schema is nested too deeply or refers to itself"
    except Exception as error:
        # Whatever a library makes of a schema that nobody wrote for it.
        name = type(error).__name__.strip("_")
        return f"the schema cannot be used ({name}: {cut(str(error))})"
    finally:
        budget.reset(token)
    return None


@lru_cache(maxsize=128)
def _compiled(schema_json: str) -> Validator:
    """The validator of a schema. Raises Unchecked."""
    from referencing import Registry

    schema = json.loads(schema_json)
    require_well_formed(schema)
    dialect = schema.pop("$schema", None)
    # Without it references are relative to the schema itself, whatever it is called.
    schema.pop("$id", None)
    validator: Validator = _dialect(dialect)(schema, registry=Registry())
    return validator


def _dialect(uri: object) -> Any:
    plain = str(uri).partition("://")[2].removeprefix("json-schema.org/").rstrip("#")
    if uri is not None and plain not in _DIALECTS:
        raise Unchecked(f"the dialect {cut(str(uri))} is not known")
    return _guarded(plain or _DIALECTS[-1])


@lru_cache(maxsize=len(_DIALECTS))
def _guarded(dialect: str) -> Any:
    """The library's validator of a dialect, its keywords replaced by guarded ones."""
    import jsonschema
    from jsonschema import validators

    known = {
        _DIALECTS[0]: jsonschema.Draft6Validator,
        _DIALECTS[1]: jsonschema.Draft7Validator,
        _DIALECTS[2]: jsonschema.Draft201909Validator,
        _DIALECTS[3]: jsonschema.Draft202012Validator,
    }
    base: Any = known[dialect]
    extend: Any = validators.extend
    return extend(base, guarded(base.VALIDATORS))
