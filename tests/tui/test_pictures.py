"""The screens look as they did. A change that is meant is written down by ``python -m
tests.pictures``.
"""

from __future__ import annotations

import pytest

from tests.pictures.reels import REELS, take
from tests.pictures.taking import FOLDER


@pytest.mark.parametrize("reel", REELS)
def test_screens_look_as_they_did(reel: str) -> None:
    for name, text in take(reel).items():
        assert text == (FOLDER / f"{name}.txt").read_text("utf-8"), name
