"""Read the summary of a test runner: how many tests failed, and how many passed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from workbench.core.text.wording import counted

# Longer lines are not a summary, so patterns need not read them.
_LONGEST: Final = 400
_ANSI: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_COUNT: Final = re.compile(r"(\d+) (\w+)(?=$|,| \|)")

# "=== 2 failed, 3 passed, 1 warning in 0.12s ===", with -q without the bars.
_PYTEST: Final = re.compile(r"(?:=+ )?(\d+ \w+(?: \w+)?(?:, \d+ \w+(?: \w+)?)*) in [\d.]+s\b.*")
# "Tests:       2 failed, 3 passed, 5 total"
_JEST: Final = re.compile(r"Tests:\s+(\d+ \w+(?:, \d+ \w+)*, \d+ total)")
# "      Tests  2 failed | 3 passed (5)"
_VITEST: Final = re.compile(r"\s*Tests\s+(\d+ \w+(?: \w+)?(?: \| \d+ \w+(?: \w+)?)*) \(\d+\)")
# "test result: FAILED. 3 passed; 2 failed; 1 ignored; …", one for each program of a crate.
_CARGO: Final = re.compile(r"test result: (?:FAILED|ok)\. (\d+) passed; (\d+) failed; .*")
# "     Summary [   0.012s] 5 tests run: 3 passed, 2 failed, 1 skipped"
_NEXTEST: Final = re.compile(
    r"\s*Summary \[ *[\d.]+s\] \d+ tests? run: (\d+ \w+(?: \w+)?(?:, \d+ \w+(?: \w+)?)*)"
)
# A line for each number: "# pass 3" of TAP and node, "ℹ pass 3" of node, "  3 passing (5ms)" of
# mocha.
_COUNTS: Final = re.compile(
    r"[#ℹ] (?P<name>\w+) (?P<count>\d+)(?:\.\d+)?"
    r"|\s+(?P<mocha_count>\d+) (?P<mocha_name>passing|pending|failing)(?: \(\w+\))?"
)
_UNITTEST: Final = re.compile(r"FAILED \((.*)\)")
_UNITTEST_RAN: Final = re.compile(r"Ran (\d+) tests? in [\d.]+s")
_UNITTEST_COUNT: Final = re.compile(r"([a-z ]+)=(\d+)")
# Subtests have one each; errors of a class are here as well.
_UNITTEST_HEADER: Final = re.compile(r"(?:FAIL|ERROR): ((\w+) \([\w.<>]+\)).*")
_UNITTEST_CLASS: Final = re.compile(r"(?:setUp|tearDown)(?:Class|Module)")
# Lines of tests; the parts of a test are indented. Output of a test may precede it.
_GO: Final = re.compile(r"(?:\S.*)?--- (FAIL|PASS|SKIP): [^\s/]+ \([\d.]+s\)")

TestOutcome = Literal["failed", "error", "passed"]
_OUTCOMES: Final[dict[str, TestOutcome]] = {
    "failed": "failed",
    "failing": "failed",
    "fail": "failed",
    "error": "error",
    "errors": "error",
    "passed": "passed",
    "passing": "passed",
    "pass": "passed",
}


class SuiteTotals(NamedTuple):
    """The numbers of a summary.

    Attributes:
        errors: failures outside of tests, such as in a pytest fixture.
    """

    failed: int
    errors: int
    passed: int

    @property
    def has_failures(self) -> bool:
        return bool(self.failed or self.errors)

    def __str__(self) -> str:
        """``2 failed, 1 error, 3 passed``; what is 0 is left out."""
        parts = [
            f"{self.failed:,} failed" if self.failed else "",
            counted(self.errors, "error") if self.errors else "",
            f"{self.passed:,} passed" if self.passed else "",
        ]
        return ", ".join(filter(None, parts))


def failures(lines: Iterable[str], *, is_whole: bool = True) -> SuiteTotals | None:
    """The last summary of an output that reports failures, or None.

    Args:
        lines: the end of the output of pytest, unittest, jest, vitest, mocha, node, cargo, go or a
            program that writes TAP; may contain terminal styles.
        is_whole: True if these are all lines. The summaries of cargo and go are added up.
    """
    plain = [text for line in lines if len(text := _ANSI.sub("", line).rstrip()) <= _LONGEST]
    for number in range(len(plain) - 1, -1, -1):
        for read in (_of_words, _of_counts, _of_unittest):
            totals = read(plain, number)
            if totals is not None and totals.has_failures:
                return totals
    return _of_cargo(plain) or _of_go(plain) if is_whole else None


def _of_words(lines: Sequence[str], number: int) -> SuiteTotals | None:
    """The summary of pytest, jest, vitest or nextest in a line."""
    for pattern in (_PYTEST, _JEST, _VITEST, _NEXTEST):
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
    unexpected = counts.get("unexpected successes", 0)
    failed, errors = counts.get("failures", 0), counts.get("errors", 0)
    headers = list(filter(None, map(_UNITTEST_HEADER.fullmatch, lines[:number])))
    passed = 0  # unknown, because not all tests are listed
    if len(headers) == failed + errors:
        tests = {header[1] for header in headers if not _UNITTEST_CLASS.fullmatch(header[2])}
        rest = counts.get("skipped", 0) + counts.get("expected failures", 0)
        passed = max(int(ran[1]) - len(tests) - unexpected - rest, 0)
    return SuiteTotals(failed + unexpected, errors, passed)


def _of_counts(lines: Sequence[str], number: int) -> SuiteTotals | None:
    """The summary that has a line for each number, and ends in this line."""
    counts: Counter[str] = Counter()
    while number >= 0 and (match := _COUNTS.fullmatch(lines[number])):
        name = match["name"] or match["mocha_name"]
        counts[_OUTCOMES.get(name, name)] += int(match["count"] or match["mocha_count"])
        number -= 1
    return SuiteTotals(counts["failed"], 0, counts["passed"])


def _of_cargo(lines: Sequence[str]) -> SuiteTotals | None:
    """The sum of the results of a crate's programs."""
    results = list(filter(None, map(_CARGO.fullmatch, lines)))
    failed = sum(int(result[2]) for result in results)
    return SuiteTotals(failed, 0, sum(int(result[1]) for result in results)) if failed else None


def _of_go(lines: Sequence[str]) -> SuiteTotals | None:
    """The outcomes of the tests that go names: those that passed only with ``-v``."""
    counts = Counter(match[1] for match in map(_GO.fullmatch, lines) if match)
    return SuiteTotals(counts["FAIL"], 0, counts["PASS"]) if counts["FAIL"] else None
