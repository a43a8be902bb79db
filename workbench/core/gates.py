"""Conditions that fail a build: the one definition for ``misses --fail``, ``run``, ``validate`` and
the GitHub action, which uses the exit codes of these commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.core.fixture.findings import Finding
    from workbench.core.misses.record import MissRecord


def is_open(row: MissRecord) -> bool:
    """True if a request still needs an answer or a change: no usable fixture answers it, and it is
    not ignored.
    """
    return row.state != "answered" and not row.ignored


def is_fault(finding: Finding, *, strict: bool) -> bool:
    """True if a finding must be fixed: an error or, with ``strict``, a warning."""
    return finding.severity == "error" or (strict and finding.severity == "warning")
