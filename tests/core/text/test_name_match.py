"""What somebody typed finds names, the best first."""

from __future__ import annotations

import pytest

from workbench.core.text.name_match import Match, name_match


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("get", Match.WHOLE),
        ("get_weather", Match.BEGINNING),
        ("webGetPage", Match.WORD),
        ("http-get", Match.WORD),
        ("forget", Match.INSIDE),
        ("Go on, every time", Match.PARTS),
        ("genuine trial", Match.PARTS),
        ("gray elephant", Match.NONE),
        ("list", Match.NONE),
        ("agent", Match.NONE),
    ],
)
def test_the_better_a_name_begins_the_better_it_fits(name: str, match: Match) -> None:
    assert name_match("Get", name) is match


def test_every_name_fits_nothing() -> None:
    assert name_match("", "list") is Match.BEGINNING
