"""Where problems stand in the document's text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.core.jsonplaces import value_places
from workbench.core.jsonspan import Path
from workbench.core.rules.model import Problem
from workbench.core.rules.subject import Subject


def offsets(subject: Subject, problems: Iterable[Problem]) -> dict[Problem, int]:
    """The place of each problem in the text. All are found together: each pass over a long text
    takes time.
    """
    found: dict[Problem, int] = {}
    by_path: dict[Path, list[Problem]] = {}
    for problem in problems:
        if problem.offset is not None:
            found[problem] = problem.offset
        else:
            by_path.setdefault(problem.path, []).append(problem)
    values = value_places(subject.text, by_path)
    for path, at_path in by_path.items():
        indexes = _indexes(subject, path, at_path)
        for problem in at_path:
            if problem in indexes:
                characters = subject.string_places(values[path].value)
                found[problem] = characters.offset(indexes[problem])
            else:
                is_key = problem.at_key and problem.inner is None
                found[problem] = values[path].key if is_key else values[path].value
    return found


def _indexes(subject: Subject, path: Path, problems: Iterable[Problem]) -> Mapping[Problem, int]:
    """Of the problems inside the string at ``path`` the index of the character they begin at."""
    given = {p: p.inner_offset for p in problems if p.inner_offset is not None}
    inner = {p: p.inner for p in problems if p.inner is not None and p not in given}
    text = subject.json_inside(path) if inner else None
    if text is None:
        return given
    values = value_places(text.text, inner.values())
    places = {p: values[inner_path] for p, inner_path in inner.items()}
    return given | {p: place.key if p.at_key else place.value for p, place in places.items()}
