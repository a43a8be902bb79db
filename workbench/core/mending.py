"""Making every fix that is certain, one after the other, each found anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from workbench.core import jsonedit
from workbench.core.findings import Finding
from workbench.core.rules import RULES, Context, check

# Each takes a check of the whole text.
_MOST_FIXES: Final = 500
_ORDER: Final = {name: place for place, name in enumerate(RULES)}


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

    A fix is made alone, and what it leaves is checked before the next: two that were found together
    may contradict. Those of the rules first in the table come first.
    """
    made: list[Finding] = []
    seen = {text}
    while True:
        left = check(text, context)
        for finding in sorted(left, key=lambda finding: _ORDER[finding.rule]):
            if finding.fix is None:
                continue
            fixed = jsonedit.apply(text, finding.fix.edits)
            if fixed not in seen:
                break
        else:
            return Mended(text, made, left)
        if len(made) == _MOST_FIXES:
            return Mended(text, made, left)
        text = fixed
        seen.add(text)
        made.append(finding)
