"""Numbers in sentences."""

from __future__ import annotations

from workbench.core.text.wording import counted


def test_a_number_of_things() -> None:
    assert [counted(number, "item") for number in (0, 1, 2, 1200)] == [
        "0 items",
        "1 item",
        "2 items",
        "1,200 items",
    ]
