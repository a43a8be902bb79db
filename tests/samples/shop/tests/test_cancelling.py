"""Customers who want no book after all."""

from __future__ import annotations

import pytest
from shop.assistant import Assistant
from shop.store import Store


@pytest.mark.parametrize("number", [1012, 1028, 1044, 1060, 1076])
def test_a_packed_order_is_cancelled(orders: Assistant, store: Store, number: int) -> None:
    assert "cancelled" in orders.ask(f"Please cancel order {number}.")
    assert store.cancelled == [number]
    assert "cancelled" in orders.ask("What state is it in now?")


@pytest.mark.parametrize("number", [1025, 1041, 1057])
def test_an_order_that_is_sent_stays(orders: Assistant, store: Store, number: int) -> None:
    assert "sent already" in orders.ask(f"Please cancel order {number}.")
    assert store.cancelled == []
    assert "day" in orders.ask("When will it be here?")


def test_one_of_two_is_cancelled(orders: Assistant, store: Store) -> None:
    orders.ask("What is in the orders 1064 and 1092?")
    assert "cancelled" in orders.ask("Please cancel order 1092.")
    assert store.cancelled == [1092]
