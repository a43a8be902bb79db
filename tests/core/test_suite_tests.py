"""How many tests, and how much of their texts, are kept."""

from __future__ import annotations

from workbench.core.suite_tests import MAX_TESTS, MAX_TEXT, MAX_TEXTS, ReportedTest, ReportedTests


def test_of_very_many_tests_the_oldest_are_forgotten() -> None:
    tests = ReportedTests()
    for number in range(MAX_TESTS + 5):
        tests.put(ReportedTest(str(number), "passed"))
    assert len(tests) == MAX_TESTS
    assert tests.get("4") is None
    assert tests.get("5") is not None


def test_the_texts_of_all_tests_are_limited() -> None:
    tests = ReportedTests()
    for number in range(MAX_TEXTS // MAX_TEXT + 1):
        tests.put(ReportedTest(str(number), "failed", failure="x" * MAX_TEXT))
    kept = list(tests)
    assert sum(test.characters for test in kept) <= MAX_TEXTS
    assert kept[0].failure == ""
    assert kept[-1].failure != ""
    tests.put(ReportedTest(kept[-1].id, "passed"))
    assert len(tests) == len(kept)
