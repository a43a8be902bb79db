"""Findings."""

from __future__ import annotations

import pytest

from workbench.core.findings import Finding, Severity


@pytest.mark.parametrize(
    ("severity", "blocks"), [("error", True), ("warning", False), ("info", False)]
)
def test_errors_alone_keep_a_draft_from_being_saved(severity: Severity, blocks: bool) -> None:
    assert Finding("any-rule", severity, "x").blocks is blocks


def test_a_finding_without_a_place_is_about_the_whole() -> None:
    finding = Finding("any-rule", "info", "x")
    assert (finding.path, finding.line, finding.column) == ((), 1, 1)


def test_equal_findings_are_one() -> None:
    first = Finding("any-rule", "error", "x", path=("a", 0), inner=("b",))
    second = Finding("any-rule", "error", "x", path=("a", 0), inner=("b",))
    assert len({first, second}) == 1
