"""What somebody typed finds names, the best first."""

from __future__ import annotations

import pytest

from workbench.core.text.name_match import NameMatch, name_match


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("get", NameMatch.WHOLE),
        ("get_weather", NameMatch.BEGINNING),
        ("webGetPage", NameMatch.WORD),
        ("http-get", NameMatch.WORD),
        ("forget", NameMatch.INSIDE),
        ("Go on, every time", NameMatch.PARTS),
        ("genuine trial", NameMatch.PARTS),
        ("gray elephant", NameMatch.NONE),
        ("list", NameMatch.NONE),
        ("agent", NameMatch.NONE),
    ],
)
def test_the_better_a_name_begins_the_better_it_fits(name: str, match: NameMatch) -> None:
    assert name_match("Get", name) is match


def test_every_name_fits_nothing() -> None:
    assert name_match("", "list") is NameMatch.BEGINNING
