"""State as JSON values, and back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.strategies import scalars, texts
from workbench.testing.recordings.values import NotAValueError, decode, encode

keys = texts | st.sampled_from(["$date", "$datetime", "$time", "$$date", "$"])
values: st.SearchStrategy[Any] = st.recursive(
    scalars | st.dates() | st.datetimes(timezones=st.none() | st.just(UTC)) | st.times(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_state_survives_with_its_dates(value: Any) -> None:
    """C1: the round trip is equal, dates included."""
    again = decode(json.loads(json.dumps(encode(value))))
    assert again == value
    assert encode(again) == encode(value)


def test_what_is_kept_can_be_read_by_people() -> None:
    state = {"due": date(2025, 10, 30), "at": time(16, 1), "seen": (datetime(2025, 10, 30, 16),)}
    assert encode(state) == {
        "due": {"$date": "2025-10-30"},
        "at": {"$time": "16:01:00"},
        "seen": [{"$datetime": "2025-10-30T16:00:00"}],
    }


SELF: list[Any] = []
SELF.append(SELF)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"a": [1, object()]}, r"value\.a\[1\] must be a JSON value, a date or a time, got object"),
        ({"a": {1: 2}}, r"value\.a must have strings as keys, got 1"),
        ([float("nan")], r"value\[0\] must be a JSON value, got nan"),
        ({"a": {1, 2}}, r"value\.a must be a JSON value, a date or a time, got set"),
        (SELF, "value is nested too deeply, or contains itself"),
    ],
)
def test_what_cannot_be_kept_is_named(value: Any, reason: str) -> None:
    with pytest.raises(NotAValueError, match=reason):
        encode(value)


@pytest.mark.parametrize("value", [{"$date": "tomorrow"}, [{"$datetime": "2025-13-01"}]])
def test_a_mark_before_something_else_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(value)


class Plan(BaseModel):
    due: date
    steps: tuple[str, ...] = ()


@dataclass
class Talk:
    plan: Plan
    began: date


def test_models_and_dataclasses_become_objects() -> None:
    talk = Talk(Plan(due=date(2025, 10, 30), steps=("mash",)), date(2025, 10, 29))
    again = decode(json.loads(json.dumps(encode({"talk": talk}))))
    assert again["talk"]["began"] == date(2025, 10, 29)
    assert Plan.model_validate(again["talk"]["plan"]) == talk.plan
    for value in (talk, talk.plan, {"talk": talk}):
        with pytest.raises(NotAValueError, match=r"a date or a time, got (Talk|Plan)"):
            encode(value, exact=True)
    with pytest.raises(
        NotAValueError, match="value must be a JSON value, a date or a time, got type"
    ):
        encode(Talk)
