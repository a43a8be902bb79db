"""Rules about what a fixture keeps for good: what nobody should read, what does not stay true."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core import secrets
from workbench.core.jsonspan import Path
from workbench.core.rules.model import Problem, rule
from workbench.core.rules.subject import Subject
from workbench.core.rules.wording import dotted


@rule(
    "secret",
    "warning",
    "something looks like a key, a token or a password",
    "Fixtures are committed, and so is what their requests and replies hold. What looks like a "
    "secret is named by its place and its last letters. Take it out of the prompt that sends it, "
    "and if it was real, revoke it. Where it is none, allow the rule in this fixture.",
)
def secret(subject: Subject) -> Iterator[Problem]:
    if not secrets.may_stand_in(subject.text):
        return
    for path, text, is_key in _strings(subject.value):
        for found in secrets.find(text):
            where = dotted(path[:-1] if is_key else path)
            what = f"a key of {where or 'the fixture'}" if is_key else where
            yield Problem(
                f"{what} holds what looks like {found.kind} ({found.shown})",
                path,
                at_key=is_key,
                inner_offset=None if is_key else found.start,
            )


def _strings(root: object) -> Iterator[tuple[Path, str, bool]]:
    """Every string in a value: its path, itself, and whether it is the key at the path's end."""
    stack: list[tuple[Path, object]] = [((), root)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, str):
            yield path, value, False
        elif isinstance(value, dict):
            for key in value:
                yield (*path, key), key, True
            stack += [((*path, key), part) for key, part in reversed(value.items())]
        elif isinstance(value, list):
            stack += [((*path, i), part) for i, part in reversed(list(enumerate(value)))]
