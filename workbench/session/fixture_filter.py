"""The filter language of the fixture list: that of the misses, asked of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, get_args

from workbench.session.fixture_book import EntryKind, FixtureEntry
from workbench.session.terms import FilterError, Selection, part_of_name, select

_Test = Callable[[FixtureEntry], bool]


NO_FIXTURE_FILTER: Final[Selection[FixtureEntry]] = Selection()


def parse(text: str) -> Selection[FixtureEntry]:
    """The filter in ``text``: words, ``is:error``, ``rule:missing-index``, ``model:``, ``tool:``.

    Raises:
        FilterError: a field or a value that there is not.
    """
    return select(text, _FIELDS, _word)


def _word(value: str) -> _Test:
    wanted = value.casefold()
    return lambda entry: (
        entry.name.startswith(wanted)
        or wanted in entry.answers.casefold()
        or wanted in entry.description.casefold()
        or (entry.digest is None and wanted in entry.name.casefold())
    )


def _kind(value: str) -> _Test:
    kinds: tuple[EntryKind, ...] = get_args(EntryKind)
    wanted = value.casefold().removesuffix("s")
    found = {kind for kind in kinds if wanted and kind.startswith(wanted)}
    if not found:
        raise FilterError(f"is: takes one of {', '.join(kinds)}.")
    return lambda entry: entry.kind in found


def _rule(value: str) -> _Test:
    wanted = part_of_name("rule", value, "missing-index").casefold()
    return lambda entry: any(wanted in finding.rule for finding in entry.findings)


def _model(value: str) -> _Test:
    wanted = part_of_name("model", value, "gpt-4o").casefold()
    return lambda entry: wanted in entry.model.casefold()


def _tool(value: str) -> _Test:
    wanted = part_of_name("tool", value, "get_weather").casefold()
    return lambda entry: any(wanted in name.casefold() for name in entry.tools)


_FIELDS: Final[dict[str, Callable[[str], _Test]]] = {
    "is": _kind,
    "state": _kind,
    "rule": _rule,
    "model": _model,
    "tool": _tool,
}
