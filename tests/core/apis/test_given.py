"""What a reader does not take out of an object is named."""

from __future__ import annotations

from workbench.core.apis.given import Given


def test_what_is_left_is_named_with_its_prefix_after_that_of_the_object_around() -> None:
    given = Given({"a": 1, "inner": {"b": 1, "c": 2}, "list": [{"d": 1}, "text"], "none": None})
    inner = given.mapping("inner", "inner.")
    (item,) = given.objects("list", "list.")
    assert list(given.left()) == ["a", "list", "inner.b", "inner.c", "list.d"]
    assert (inner.count("b"), item.take("d"), given.take("a")) == (1, 1, 1)
    assert list(given.left()) == ["list", "inner.c"]


def test_a_value_of_another_type_is_left() -> None:
    given = Given({"text": 1, "count": "1", "mapping": [], "objects": {"a": 1}, "flag": True})
    assert given.text("text") == ""
    assert given.count("count") is None
    assert given.count("flag") is None
    assert given.objects("objects") == []
    assert list(given.mapping("mapping").left()) == []
    assert list(given.left()) == ["text", "count", "objects", "flag"]


def test_what_is_skipped_or_taken_as_a_whole_is_not_named() -> None:
    given = Given({"id": 1, "rest": 2})
    given.skip(["id", "other"])
    assert given.take_all() == {"rest": 2}
    given.leave("further choices")
    assert list(given.left()) == ["further choices"]
