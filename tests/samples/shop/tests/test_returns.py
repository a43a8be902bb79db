"""Customers who send a book back."""

from __future__ import annotations

import pytest
from shop.assistant import Assistant
from shop.store import Store


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (1022, "a page is missing"),
        (1026, "the cover is torn"),
        (1031, "it is the wrong edition"),
        (1042, "it came twice"),
        (1047, "the print is blurred"),
        (1083, "it is damp"),
    ],
)
def test_a_new_book_is_refunded(returns: Assistant, store: Store, number: int, reason: str) -> None:
    assert "£" in returns.ask(f"I want a refund for order {number}: {reason}.")
    assert store.refunds == {number: reason}
    assert "days" in returns.ask("When do I get the money?")
    assert "welcome" in returns.ask("Thank you!")


@pytest.mark.parametrize("number", [1002, 1011, 1055, 1074])
def test_an_old_book_is_not_refunded(returns: Assistant, store: Store, number: int) -> None:
    assert "30 days" in returns.ask(f"I want a refund for order {number}: I read it.")
    assert store.refunds == {}
    assert "sorry" in returns.ask("Can you make an exception?")


def test_a_book_that_is_not_there_yet(returns: Assistant, store: Store) -> None:
    assert "30 days" in returns.ask("I want a refund for order 1037: it is late.")
    assert store.refunds == {}
