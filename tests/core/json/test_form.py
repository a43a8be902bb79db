"""Objects held against the form they should have."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.strategies import json_values
from workbench.core.json.form import Form, Key, Kind, misfits, objects

WHEEL = Form(
    title="Wheel",
    rule="wheel",
    called="wheel {}",
    prefix="wheel {}: ",
    keys=(
        Key("size", Kind("integer", "10 to 29", least=10, most=29), "Its size.", missing="size"),
        Key("spokes", Kind("number", "a number"), "How many.", is_plural=True),
    ),
)
BELL = Form("Bell", "bell", "bell", (Key("tone", Kind("string", "a tone", least=1), "."),), "bell.")
BIKE = Form(
    title="Bike",
    rule="bike",
    called="a bike",
    chosen_by="type",
    exclusive=("motor", "pedals"),
    keys=(
        Key("type", Kind("string", "motor or pedals", choices=("motor", "pedals")), "Which one."),
        Key("motor", Kind("string", "a name"), "Its name."),
        Key("pedals", Kind("integer", "a number"), "How many.", never_null=True),
        Key("wheels", Kind("array", "a list of wheels", form=WHEEL), "All of them."),
        Key("bell", Kind("object", "an object", form=BELL), "What rings."),
        Key("owner", Kind("any", "any value"), "Whose it is."),
        Key("price", Kind("integer", "a number"), "Unchecked.", wrong=""),
        Key("seat", Kind("never", "no seat"), "Not any more.", wrong="seat"),
    ),
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"type": "motor", "motor": "x"}, []),
        ({"type": "motor", "motor": "x", "wheels": None, "owner": [1], "price": "x"}, []),
        ({"type": "motor", "motor": None}, []),
        ({"motor": "x", "unknown": 1}, []),
        ({"type": "motor"}, [("bike", (), "motor is missing; expected a name")]),
        ({"type": "pedals"}, [("bike", (), "pedals is missing; expected a number")]),
        (
            {"type": "steam", "motor": "x"},
            [("bike", ("type",), 'type is "steam"; expected motor or pedals')],
        ),
        (
            {"motor": "x", "pedals": 2},
            [("bike", ("pedals",), "pedals and motor are both given; expected one of them")],
        ),
        (
            {"motor": "x", "pedals": None},
            [("bike", ("pedals",), "pedals is null; expected a number")],
        ),
        ({"motor": "x", "bell": []}, [("bike", ("bell",), "bell is a list; expected an object")]),
        (
            {"motor": "x", "bell": {"tone": ""}},
            [("bell", ("bell", "tone"), 'bell.tone is ""; expected a tone')],
        ),
        ({"motor": "x", "seat": 1}, [("seat", ("seat",), "seat is a number; expected no seat")]),
        (
            {"motor": "x", "wheels": [{"size": 28}, 5, {"spokes": True}, {"size": 28.0}]},
            [
                ("bike", ("wheels", 1), "wheel 1 is a number; expected an object"),
                ("size", ("wheels", 2), "wheel 2: size is missing; expected 10 to 29"),
                ("wheel", ("wheels", 2, "spokes"), "wheel 2: spokes are true; expected a number"),
                ("wheel", ("wheels", 3, "size"), "wheel 3: size is 28.0; expected 10 to 29"),
            ],
        ),
        (
            {"motor": "x", "wheels": [{"size": 10**5_000, "spokes": 1e999}]},
            [
                ("wheel", ("wheels", 0, "size"), "wheel 0: size is a number; expected 10 to 29"),
                (
                    "wheel",
                    ("wheels", 0, "spokes"),
                    "wheel 0: spokes are Infinity; expected a number",
                ),
            ],
        ),
    ],
)
def test_misfits(value: dict[str, Any], expected: list[tuple[str, Any, str]]) -> None:
    assert [(m.rule, m.path, m.message) for m in misfits(value, BIKE)] == expected


@given(json_values)
def test_any_value_is_held_against_a_form(value: Any) -> None:
    for whole in (value, {"wheels": [value], "bell": value}):
        for misfit in misfits(whole, BIKE, ("response",)):
            assert misfit.path[0] == "response"
            assert misfit.message


def test_objects_are_found_with_their_forms() -> None:
    value = {"wheels": [{"size": 1}, 2], "bell": {"tone": "x"}, "owner": {"size": 1}}
    found = [(path, form) for path, form, _ in objects(value, BIKE)]
    assert found == [((), BIKE), (("wheels", 0), WHEEL), (("bell",), BELL)]


def test_a_form_is_found_by_the_path_of_its_object() -> None:
    assert BIKE.inner(("wheels", 3)) == WHEEL
    assert BIKE.inner(()) is BIKE
    for path in (("owner",), ("unknown",)):
        with pytest.raises(KeyError):
            BIKE.inner(path)
