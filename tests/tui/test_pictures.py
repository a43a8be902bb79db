"""The screens look as they did. A change that is meant is written down by ``python -m
tests.pictures``.
"""

from __future__ import annotations

import pytest

from tests import pictures


@pytest.mark.parametrize("size", pictures.SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_screens_look_as_they_did(size: tuple[int, int]) -> None:
    for name, text in pictures.take(size).items():
        assert text == pictures.path(name, size).read_text("utf-8"), name
