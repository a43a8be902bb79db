"""The log lines of a recording server about its recordings, and their totals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple, Self

from workbench.core.log.lines import MARK
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt

# Of a reason in the totals.
_WIDTH: Final = 200
_MARK: Final = MARK.encode()
_RECORDED: Final = re.compile(r"recorded fixture ([0-9a-f]{64})\s*(.*)")
# Each has the first digits of a digest, and a reason.
_NOT_RECORDED: Final = (
    re.compile(r"no fixture saved for (?P<digest>[0-9a-f]+): (?P<why>.*)"),
    re.compile(r"the reply to (?P<digest>[0-9a-f]+) (?P<why>broke off.*)"),
    re.compile(r"exchange not recorded: (?P<why>.*) \((?P<digest>[0-9a-f]+)\)"),
)


def recorded_text(digest: str, lacks: str) -> str:
    """The text that a reply became a fixture; ``lacks`` lists missing parts, or is ""."""
    return f"recorded fixture {digest} {lacks}"


def no_fixture_text(digest: str, why: str) -> str:
    """That a reply became no fixture."""
    return f"no fixture saved for {short(digest)}: {why}"


def broken_off_text(digest: str, why: str) -> str:
    return f"the reply to {short(digest)} broke off: {why}"


def no_exchange_text(digest: str, why: str) -> str:
    """That a reply did not get into its recording."""
    return f"exchange not recorded: {why} ({short(digest)})"


class RecordingTotals(NamedTuple):
    """The recordings of a server.

    Attributes:
        recorded: how many replies became fixtures.
        lacking: how many of these lack something, by what they lack.
        reasons: why requests have no fixture after all, by the first digits of their digests.
    """

    recorded: int
    lacking: Counter[str]
    reasons: dict[str, str]

    @property
    def refused(self) -> Counter[str]:
        """How many requests have no fixture after all, by the reason."""
        return Counter(self.reasons.values())

    @classmethod
    def of(cls, lines: Iterable[bytes]) -> Self:
        """The totals of the lines of a log."""
        recorded: dict[str, None] = {}
        lacking: Counter[str] = Counter()
        reasons: dict[str, str] = {}
        count = 0
        for line in lines:
            if not line.startswith(_MARK):
                continue
            text = line[len(_MARK) :].decode("utf-8", "replace").strip()
            if match := _RECORDED.fullmatch(text):
                recorded[short(match[1])] = None
                count += 1
                lacking.update([excerpt(match[2], _WIDTH)] if match[2] else [])
            for pattern in _NOT_RECORDED:
                if match := pattern.fullmatch(text):
                    reasons[match["digest"]] = excerpt(match["why"], _WIDTH)
        left = {digest: why for digest, why in reasons.items() if digest not in recorded}
        return cls(count, lacking, left)
