"""Keys of JSON objects: taken as what they must be, and named where they are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workbench.core.fields import Fields


def test_keys_are_taken_one_by_one_and_the_rest_is_kept() -> None:
    fields = Fields(
        {"name": "a", "size": 2, "is_on": True, "at": 1, "own": {"x": 1}, "rest": [1]}, ValueError
    )
    assert fields.has("name")
    assert (fields.text("name"), fields.count("size"), fields.flag("is_on")) == ("a", 2, True)
    assert (fields.number("at"), fields.mapping("own")) == (1.0, {"x": 1})
    assert not fields.has("name")
    assert fields.rest() == {"rest": [1]}
    assert (fields.any("rest"), fields.any("rest")) == ([1], None)


def test_what_may_be_missing_has_a_default() -> None:
    fields = Fields({"none": None}, ValueError)
    assert (fields.text("a", ""), fields.count("b", 3), fields.flag("c", False)) == ("", 3, False)
    assert (fields.number("d", 0.5), fields.text_or_none("e")) == (0.5, None)
    assert fields.text_or_none("none") is None


@pytest.mark.parametrize(
    ("take", "said"),
    [
        (lambda fields: fields.text("gone"), "gone is missing"),
        (lambda fields: fields.text("none"), "none is missing"),
        (lambda fields: fields.text("size"), "size is a number"),
        (lambda fields: fields.count("is_on"), "is_on is true"),
        (lambda fields: fields.number("is_on"), "is_on is true"),
        (lambda fields: fields.number("large"), "large is too large"),
        (lambda fields: fields.flag("size"), "size is a number"),
        (lambda fields: fields.mapping("list"), "list is a list"),
        (lambda fields: fields.counts("list"), "list[1] is true, not a whole number"),
        (lambda fields: list(fields.each("list")), "list[0] is a number, not an object"),
        (lambda fields: fields.nested("own").text("x"), "own.x is a number"),
        (lambda fields: next(fields.each("all")).text("x"), "all[0].x is a list"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(take: Callable[[Fields], object], said: str) -> None:
    value: dict[str, Any] = {
        "none": None,
        "size": 2,
        "is_on": True,
        "large": 10**400,
        "list": [1, True],
        "own": {"x": 1},
        "all": [{"x": []}],
    }
    with pytest.raises(ValueError, match=r".") as caught:
        take(Fields(value, ValueError))
    assert str(caught.value) == said
