"""Digests as they are written."""

from __future__ import annotations

import pytest

from workbench.core.text.digests import is_digest, short

DIGEST = "29f3a7290b8594218d9533ae1b80fb9c2ff0aac64dcf7b7da97fe02b1393df46"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DIGEST, True),
        (DIGEST.upper(), False),
        (DIGEST[:-1], False),
        (DIGEST + "0", False),
        (DIGEST + "\n", False),
        ("", False),
    ],
)
def test_the_form_of_a_digest(text: str, expected: bool) -> None:
    assert is_digest(text) is expected


def test_short_is_the_first_twelve() -> None:
    assert short(DIGEST) == "29f3a7290b85"
