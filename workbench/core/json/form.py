"""The forms of JSON objects: the keys of an object, with their meanings and allowed values.

A form is declared once. Checks (``misfits``), JSON Schemas, tables of keys and the order of keys in
new files are derived from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from workbench.core.json.spans import Path
from workbench.core.json.values import is_number, json_type, sequence, shown

JSONType = Literal["any", "string", "integer", "number", "object", "array", "never"]

# In Python, True is an int too; 1.0 does not count as an integer.
_TYPES: Final[dict[JSONType, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "array": (list,),
    "never": (),
}


class Kind(NamedTuple):
    """The allowed values of a key.

    Attributes:
        expected: description for the end of a sentence: ``a string``.
        least, most: limits of a number; for a string, ``least`` is its smallest length.
        choices: the allowed strings; () allows any.
        form: the form of the object, or of each object in the list.
        keywords: additions for the JSON Schema, which checks ignore.
    """

    type: JSONType
    expected: str
    least: int = 0
    most: float = math.inf
    choices: tuple[str, ...] = ()
    form: Form | None = None
    keywords: Mapping[str, Any] = {}

    @property
    def is_number(self) -> bool:
        return self.type in ("integer", "number")

    def accepts(self, value: object) -> bool:
        """True if a value is of this kind; the contents of an object or a list are not checked."""
        if self.type == "any":
            return True
        if type(value) not in _TYPES[self.type]:
            return False
        if isinstance(value, str):
            return len(value) >= self.least and (not self.choices or value in self.choices)
        if isinstance(value, int | float):
            return self.least <= value <= self.most and value < math.inf
        return True

    def in_words(self, value: object) -> str:
        """Description of a wrong value: its type, or the value if the type is right."""
        is_right_type = type(value) in _TYPES[self.type] or (self.is_number and is_number(value))
        return shown(value) if is_right_type else json_type(value)


class Key(NamedTuple):
    """A key of an object.

    Attributes:
        wrong: the rule that a value of another kind breaks; None: the form's rule; "": none.
        missing: the rule that an object without the key breaks; "": none, the key is optional.
        never_null: null is not allowed. It is never allowed for a required key.
        is_plural: True if the name is a plural noun.
    """

    name: str
    kind: Kind
    meaning: str
    wrong: str | None = None
    missing: str = ""
    never_null: bool = False
    is_plural: bool = False

    @property
    def may_be_null(self) -> bool:
        return not (self.never_null or self.missing)


class Form(NamedTuple):
    """The form of an object.

    Attributes:
        title: title in the JSON Schema.
        rule: the rule that a value of another kind breaks.
        called: name in messages; ``{}`` is replaced by its number in a list.
        keys: in the order of new files.
        prefix: prefix of its keys in messages, with ``{}`` as in ``called``.
        chosen_by: the key whose value is the name of another key that the object must have.
        exclusive: two keys that exclude each other.
        keywords: additions for the JSON Schema, which checks ignore.
    """

    title: str
    rule: str
    called: str
    keys: tuple[Key, ...]
    prefix: str = ""
    chosen_by: str = ""
    exclusive: tuple[str, str] | None = None
    keywords: Mapping[str, Any] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(key.name for key in self.keys)

    def inner(self, path: Path) -> Form:
        """The form of the object at ``path``. Raises KeyError where no object has a form."""
        form = self
        for step in path:
            if isinstance(step, str):
                inner = form.key(step).kind.form
                if inner is None:
                    raise KeyError(step)
                form = inner
        return form

    def key(self, name: str) -> Key:
        """Raises KeyError."""
        for key in self.keys:
            if key.name == name:
                return key
        raise KeyError(name)

    def rule_of(self, key: Key) -> str:
        """The rule that a value breaks which ``key`` may not have; "" where nothing checks it."""
        return self.rule if key.wrong is None else key.wrong

    def chosen(self, members: Mapping[str, Any]) -> str:
        """The key that an object must have, since the value of ``chosen_by`` names it; "": none."""
        if not self.chosen_by:
            return ""
        choices = self.key(self.chosen_by).kind.choices
        choice = members.get(self.chosen_by)
        return choice if choice in choices else choices[0]

    def called_at(self, path: Path) -> str:
        """The name of the object at ``path`` in messages."""
        return self.called.format(*_number(path))


class Misfit(NamedTuple):
    """A place where a value does not have its form.

    Attributes:
        path: of the value; of the object where a key is missing.
        kind: that the value should be.
    """

    rule: str
    path: Path
    message: str
    value: Any
    kind: Kind


def objects(
    value: object, form: Form, path: Path = ()
) -> Iterator[tuple[Path, Form, dict[str, Any]]]:
    """The object at ``path`` and all objects inside it that have a form, outer ones first."""
    left: list[tuple[Path, Form, object]] = [(path, form, value)]
    for place, inner, members in left:  # which gets longer
        if isinstance(members, dict):
            yield place, inner, members
            for key in inner.keys:
                if key.kind.form is not None and key.name in members:
                    at, part = (*place, key.name), members[key.name]
                    if key.kind.type == "object":
                        left.append((at, key.kind.form, part))
                    else:
                        items = enumerate(sequence(part))
                        left += [((*at, index), key.kind.form, item) for index, item in items]


def misfits(value: object, form: Form, path: Path = ()) -> Iterator[Misfit]:
    """Where the object at ``path`` does not have its form. Unknown keys are fine."""
    for place, inner, members in objects(value, form, path):
        chosen = inner.chosen(members)
        for key in inner.keys:
            if key.name in members:
                yield from _misfits_of_value(inner, key, members[key.name], place)
            elif rule := inner.rule if key.name == chosen else key.missing:
                message = f"{_subject(inner, key, place)} missing; expected {key.kind.expected}"
                yield Misfit(rule, place, message, None, key.kind)
        if inner.exclusive is not None:
            first, second = inner.exclusive
            if members.get(first) is not None and members.get(second) is not None:
                message = f"{second} and {first} are both given; expected one of them"
                kind = inner.key(second).kind
                yield Misfit(inner.rule, (*place, second), message, members[second], kind)


def misfit_of(form: Form, name: str, value: object, path: Path = ()) -> Misfit:
    """The misfit of a value that key ``name`` of the object at ``path`` may not have."""
    key = form.key(name)
    expected = key.kind.expected
    message = f"{_subject(form, key, path)} {key.kind.in_words(value)}; expected {expected}"
    return Misfit(form.rule_of(key), (*path, name), message, value, key.kind)


def misfit_of_item(form: Form, name: str, index: int, item: object, path: Path = ()) -> Misfit:
    """The misfit of an item that is not an object, in the list of key ``name`` of the object at
    ``path``.
    """
    key, place = form.key(name), (*path, name, index)
    called = form.inner((name,)).called_at(place)
    message = f"{called} is {json_type(item)}; expected an object"
    return Misfit(form.rule_of(key), place, message, item, key.kind)


def _misfits_of_value(form: Form, key: Key, value: object, path: Path) -> Iterator[Misfit]:
    """Where the value of a key of the object at ``path`` is not of its kind."""
    if not form.rule_of(key) or (value is None and key.may_be_null):
        return
    if not key.kind.accepts(value):
        yield misfit_of(form, key.name, value, path)
    elif isinstance(value, list) and key.kind.form is not None:
        for index, item in enumerate(value):
            if not isinstance(item, dict):
                yield misfit_of_item(form, key.name, index, item, path)


def _subject(form: Form, key: Key, path: Path) -> str:
    """The key and the verb of a sentence about it."""
    return f"{form.prefix.format(*_number(path))}{key.name} {'are' if key.is_plural else 'is'}"


def _number(path: Path) -> list[int]:
    """The last index in a path, if it has one."""
    return [step for step in path if isinstance(step, int)][-1:]
