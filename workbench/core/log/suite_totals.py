"""What a test runner says at its end: how many tests failed, and how many passed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from workbench.core.text.wording import counted

# Longer lines are no summary, and patterns should not have to read them.
_LONGEST: Final = 400
_ANSI: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_COUNT: Final = re.compile(r"(\d+) (\w+)(?=$|,| \|)")

# "=== 2 failed, 3 passed, 1 warning in 0.12s ===", with -q without the bars.
_PYTEST: Final = re.compile(r"(?:=+ )?(\d+ \w+(?: \w+)?(?:, \d+ \w+(?: \w+)?)*) in [\d.]+s\b.*")
# "Tests:       2 failed, 3 passed, 5 total"
_JEST: Final = re.compile(r"Tests:\s+(\d+ \w+(?:, \d+ \w+)*, \d+ total)")
# "      Tests  2 failed | 3 passed (5)"
_VITEST: Final = re.compile(r"\s*Tests\s+(\d+ \w+(?: \w+)?(?: \| \d+ \w+(?: \w+)?)*) \(\d+\)")
_UNITTEST: Final = re.compile(r"FAILED \((.*)\)")
_UNITTEST_RAN: Final = re.compile(r"Ran (\d+) tests? in [\d.]+s")
_UNITTEST_COUNT: Final = re.compile(r"([a-z ]+)=(\d+)")
# Of tests, and not of the parts of one, which are indented.
_GO: Final = re.compile(r"--- (FAIL|PASS|SKIP): \S+ \([\d.]+s\)")

Outcome = Literal["failed", "error", "passed"]
_OUTCOMES: Final[dict[str, Outcome]] = {
    "failed": "failed",
    "error": "error",
    "errors": "error",
    "passed": "passed",
}


class SuiteTotals(NamedTuple):
    """The numbers of a summary.

    Attributes:
        errors: failures outside of tests, such as that of a fixture of pytest.
    """

    failed: int
    errors: int
    passed: int

    def __str__(self) -> str:
        """``2 failed, 1 error, 3 passed``; what is 0 is left out."""
        parts = [
            f"{self.failed:,} failed" if self.failed else "",
            counted(self.errors, "error") if self.errors else "",
            f"{self.passed:,} passed" if self.passed else "",
        ]
        return ", ".join(filter(None, parts))


def failures(lines: Iterable[str]) -> SuiteTotals | None:
    """The last summary of an output that reports failures; None if there is none.

    Args:
        lines: the end of the output of pytest, unittest, jest, vitest or go; styles of a terminal
            may be in them.
    """
    plain = [text for line in lines if len(text := _ANSI.sub("", line).rstrip()) <= _LONGEST]
    for number in range(len(plain) - 1, -1, -1):
        for read in (_of_words, _of_unittest):
            found = read(plain, number)
            if found is not None and (found.failed or found.errors):
                return found
    return _of_go(plain)


def _of_words(lines: Sequence[str], number: int) -> SuiteTotals | None:
    """The summary of pytest, jest or vitest in a line."""
    for pattern in (_PYTEST, _JEST, _VITEST):
        if match := pattern.fullmatch(lines[number]):
            counts: Counter[str] = Counter()
            for count, word in _COUNT.findall(match[1]):
                counts[_OUTCOMES.get(word, word)] += int(count)
            return SuiteTotals(counts["failed"], counts["error"], counts["passed"])
    return None


def _of_unittest(lines: Sequence[str], number: int) -> SuiteTotals | None:
    """The summary of unittest, which ends in this line: ``FAILED (failures=1, skipped=2)``."""
    match = _UNITTEST.fullmatch(lines[number])
    if match is None:
        return None
    ran = next(filter(None, map(_UNITTEST_RAN.fullmatch, reversed(lines[:number]))), None)
    if ran is None:
        return None
    counts = {name.strip(): int(count) for name, count in _UNITTEST_COUNT.findall(match[1])}
    failed = counts.get("failures", 0) + counts.get("unexpected successes", 0)
    errors = counts.get("errors", 0)
    rest = counts.get("skipped", 0) + counts.get("expected failures", 0)
    # Parts of a test and the preparation of a class fail without being counted as tests.
    return SuiteTotals(failed, errors, max(int(ran[1]) - failed - errors - rest, 0))


def _of_go(lines: Sequence[str]) -> SuiteTotals | None:
    """The outcomes of the tests that go names: those that passed only with ``-v``."""
    counts = Counter(match[1] for match in map(_GO.fullmatch, lines) if match)
    return SuiteTotals(counts["FAIL"], 0, counts["PASS"]) if counts["FAIL"] else None
