"""Text under its escapes."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.json.escapes import MOST_LAYERS, TooManyLayersError, layers


def test_plain_text_is_one_layer() -> None:
    assert list(layers("50% of it")) == ["50% of it"]


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        (r"\u0073k", "sk"),
        (r"a\/b\n\"", 'a/b\n"'),
        ("%73k", "sk"),
        (r"\\u0073k", "sk"),
        (r"\u005cu0073k", "sk"),
        ("%5Cu0073k", "sk"),
        (r"say: {\"a\": \"\\u0073k\"}", 'say: {"a": "sk"}'),
        (r"\ud83d\u", "\ud83du"),
    ],
)
def test_one_layer_after_the_other_is_removed(text: str, inner: str) -> None:
    assert list(layers(text))[-1] == inner


@given(st.text('ab\\"/%ü\n', min_size=1), st.integers(0, 6), st.booleans())
def test_json_in_json_at_any_depth(text: str, depth: int, is_ascii: bool) -> None:
    written = text
    for _ in range(depth):
        written = json.dumps(written, ensure_ascii=is_ascii)
    if "%" not in text:
        assert any(text in layer for layer in layers(written))
    assert any(text in layer for layer in layers(quote(text)))


def test_the_layers_have_an_end() -> None:
    with pytest.raises(TooManyLayersError):
        list(layers("\\u005c" + "u005c" * MOST_LAYERS + "u0073"))
