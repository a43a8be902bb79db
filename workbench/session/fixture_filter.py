"""The filter language of the fixture list: that of the misses, asked of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, get_args

from workbench.session.filter import FilterError, terms
from workbench.session.fixture_book import EntryKind, FixtureEntry

_Test = Callable[[FixtureEntry], bool]


@dataclass(frozen=True, slots=True)
class FixtureFilter:
    """Which fixtures to show; ``text`` is as it was typed."""

    text: str = ""
    tests: tuple[_Test, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tests)

    def matches(self, entry: FixtureEntry) -> bool:
        return all(test(entry) for test in self.tests)


NO_FIXTURE_FILTER: Final = FixtureFilter()


def parse(text: str) -> FixtureFilter:
    """The filter in ``text``: words, ``is:error``, ``rule:missing-index``, ``model:``, ``tool:``.

    Raises:
        FilterError: a field or a value that there is not.
    """
    tests = []
    for term in terms(text, _FIELDS):
        test = _FIELDS[term.field](term.value) if term.field else _word(term.value)
        tests.append(_not(test) if term.is_not else test)
    return FixtureFilter(text.strip(), tuple(tests))


def _not(test: _Test) -> _Test:
    return lambda entry: not test(entry)


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
    wanted = _given("rule", value, "missing-index")
    return lambda entry: any(wanted in finding.rule for finding in entry.findings)


def _model(value: str) -> _Test:
    wanted = _given("model", value, "gpt-4o")
    return lambda entry: wanted in entry.model.casefold()


def _tool(value: str) -> _Test:
    wanted = _given("tool", value, "get_weather")
    return lambda entry: any(wanted in name.casefold() for name in entry.tools)


def _given(field: str, value: str, example: str) -> str:
    if not value:
        raise FilterError(f"{field}: takes a part of a name, like {field}:{example}.")
    return value.casefold()


_FIELDS: Final[dict[str, Callable[[str], _Test]]] = {
    "is": _kind,
    "state": _kind,
    "rule": _rule,
    "model": _model,
    "tool": _tool,
}
