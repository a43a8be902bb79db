"""Long conversations."""

from __future__ import annotations

import pytest
from shop.assistant import Assistant
from shop.store import Store


@pytest.mark.parametrize("customer", ["cleo", "finn"])
def test_a_customer_looks_for_an_order_and_tracks_it(orders: Assistant, customer: str) -> None:
    orders.ask(f"I am {customer}@example.com. What have I ordered?")
    assert "Leeds" in orders.ask("Where is order 1045?")
    assert "day" in orders.ask("How long will it take?")


def test_a_customer_changes_their_mind(orders: Assistant, store: Store) -> None:
    orders.ask("Where is order 1068?")
    orders.ask("Please cancel order 1068.")
    orders.ask("Please cancel order 1084.")
    assert store.cancelled == [1068, 1084]
    assert "packed" in orders.ask("What state is order 1096 in?")


def test_two_refunds(returns: Assistant, store: Store) -> None:
    returns.ask("I want a refund for order 1091: it is damp.")
    returns.ask("I want a refund for order 1095: it is damp.")
    assert list(store.refunds) == [1091, 1095]


def test_a_refund_after_a_look_at_the_orders(returns: Assistant, store: Store) -> None:
    returns.ask("I am jon@example.com. What have I ordered?")
    returns.ask("I want a refund for order 1047: it came twice.")
    assert store.refunds == {1047: "it came twice"}
