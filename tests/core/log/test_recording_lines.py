"""The totals of what a recording server logged."""

from __future__ import annotations

from collections import Counter

from workbench.core.log.lines import note_line
from workbench.core.log.recording_lines import (
    RecordingTotals,
    broken_off_text,
    no_exchange_text,
    no_fixture_text,
    recorded_text,
)

ONE, TWO, THREE = ("a" * 64, "b" * 64, "c" * 64)


def totals(*texts: str) -> RecordingTotals:
    return RecordingTotals.of(note_line(text).encode() for text in texts)


def test_what_was_recorded_and_what_was_not() -> None:
    refused = "the upstream answered with 401"
    assert totals(
        recorded_text(ONE, ""),
        recorded_text(TWO, "without logprobs of the reply, which a fixture cannot contain"),
        no_fixture_text(THREE, refused),
    ) == RecordingTotals(
        2,
        Counter({"without logprobs of the reply, which a fixture cannot contain": 1}),
        {THREE[:12]: refused},
    )
    assert totals("another note", "") == RecordingTotals(0, Counter(), {})


def test_a_request_that_was_recorded_later_or_before_is_not_missing() -> None:
    again = no_fixture_text(ONE, "the upstream answered with 429")
    assert totals(again, recorded_text(ONE, "")).refused == Counter()
    assert totals(recorded_text(ONE, ""), again).refused == Counter()


def test_a_request_that_is_refused_again_counts_once() -> None:
    first, last = no_fixture_text(ONE, "one"), no_fixture_text(ONE, "two")
    assert totals(first, last).refused == Counter({"two": 1})


def test_each_way_not_to_record_is_read() -> None:
    found = totals(
        no_fixture_text(ONE, "the client closed the connection before the end"),
        broken_off_text(TWO, "example.com: peer closed connection"),
        no_exchange_text(THREE, "the recording would contain the key of the request"),
    )
    assert set(found.refused) == {
        "the client closed the connection before the end",
        "broke off: example.com: peer closed connection",
        "the recording would contain the key of the request",
    }
