"""How deeply a JSON text is nested."""

from __future__ import annotations

import json

import pytest

from workbench.core.json.syntax import is_too_deep


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[1], [2], [3]]", False),
        ('{"a": {"b": 1}, "c": [2], "d": "["}', False),
        ("[[[]]]", True),
        ('[{"a": 1}, {"b": {}}]', True),
        ('{"a": [1, {}]}', True),
    ],
)
def test_depth_is_counted_however_many_stand_side_by_side(text: str, expected: bool) -> None:
    assert is_too_deep(text, json.loads(text), 2) is expected
    assert is_too_deep(text.encode(), json.loads(text), 2) is expected
