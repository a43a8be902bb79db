"""What customers ask about their orders."""

from __future__ import annotations

import pytest
from shop.assistant import Assistant


@pytest.mark.parametrize(
    ("number", "city", "days"),
    [
        (1001, "Cardiff", 3),
        (1017, "York", 1),
        (1033, "Dover", 2),
        (1065, "Leeds", 1),
        (1089, "Bath", 1),
    ],
)
def test_where_is_my_parcel(orders: Assistant, number: int, city: str, days: int) -> None:
    assert city in orders.ask(f"Where is order {number}?")
    assert f"{days} more day" in orders.ask("How long will it take?")


@pytest.mark.parametrize("number", [1004, 1020, 1036, 1052])
def test_a_packed_order_has_no_parcel(orders: Assistant, number: int) -> None:
    assert "packed" in orders.ask(f"Has order {number} left your house?")
    assert "not on its way" in orders.ask("Can you track it anyway?")


@pytest.mark.parametrize(
    ("customer", "titles"),
    [
        ("ann", ["Candide"]),
        ("bob", ["Ulysses"]),
        ("gus", ["Kim"]),
        ("lea", ["Dracula"]),
    ],
)
def test_what_have_i_ordered(orders: Assistant, customer: str, titles: list[str]) -> None:
    answer = orders.ask(f"I am {customer}@example.com. What have I ordered?")
    assert all(title in answer for title in titles)
    assert "£" in orders.ask("What did the newest one cost?")


def test_an_order_that_does_not_exist(orders: Assistant) -> None:
    assert "no order 2000" in orders.ask("Where is order 2000?")
    assert "Bath" in orders.ask("Sorry, I meant order 1009.")


def test_two_orders_at_once(orders: Assistant) -> None:
    answer = orders.ask("What is in the orders 1008 and 1013?")
    assert "Emma" in answer
    assert "Candide" in answer
    assert "Dover" in orders.ask("Where is order 1013?")
