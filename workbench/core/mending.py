"""Making every fix that is certain, rule by rule, each found anew."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from workbench.core import jsonedit
from workbench.core.findings import Finding
from workbench.core.rules import RULES, Context, check

# Each step takes a check of the whole text: the longer that takes, the fewer steps there are.
_MOST_STEPS: Final = 500
_MOST_CHARACTERS: Final = 2_000_000
_MOST_VALUES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Mended:
    """A document after its fixes.

    Attributes:
        made: the findings whose fixes were made, in that order, each with its place at that time.
        left: what is wrong with ``text``.
    """

    text: str
    made: list[Finding]
    left: list[Finding]


def mend(text: str, context: Context) -> Mended:
    """Make every fix of what is wrong with a fixture, and no other change.

    Fixes that were found together may contradict, as two slips of one key do, or be about one
    place. So those of one rule are made together, the first of the table first, and where that
    breaks anything more one alone; then the text is checked again.
    """
    made: list[Finding] = []
    left = check(text, context)
    seen = {text}  # two requests may want what contradicts
    for _ in range(_steps(text)):
        step = _next(left)
        if not step:
            break
        fixed = _apply(text, step)
        after = check(fixed, context)
        if len(step) > 1 and _breaks_more(left, after):
            step = step[:1]
            fixed = _apply(text, step)
            after = check(fixed, context)
        if fixed in seen:
            break
        seen.add(fixed)
        text, left = fixed, after
        made += step
    return Mended(text, made, left)


def _steps(text: str) -> int:
    """How many steps there may be: always one."""
    values = 1 + text.count(",")  # or a few more
    return max(1, min(_MOST_STEPS, _MOST_CHARACTERS // max(len(text), 1), _MOST_VALUES // values))


def _next(findings: list[Finding]) -> list[Finding]:
    """The findings with a fix of the first rule that has any."""
    fixable = [finding for finding in findings if finding.fix is not None]
    first = next((name for name in RULES if any(f.rule == name for f in fixable)), None)
    return [finding for finding in fixable if finding.rule == first]


def _apply(text: str, findings: list[Finding]) -> str:
    edits = [edit for finding in findings if finding.fix for edit in finding.fix.edits]
    return jsonedit.apply(text, edits)


def _breaks_more(before: list[Finding], after: list[Finding]) -> bool:
    """Whether a rule is broken in more places than it was."""
    return bool(Counter(f.rule for f in after) - Counter(f.rule for f in before))
