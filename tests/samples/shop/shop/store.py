"""What the shop has in its books: orders, and what was done with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_TITLES = ("Emma", "Walden", "Dracula", "Ulysses", "Middlemarch", "Candide", "Persuasion", "Kim")
_STATES = ("packed", "on its way", "delivered", "delivered")
_CITIES = ("Leeds", "Cardiff", "York", "Dover", "Bath")


class StoreError(Exception):
    """The shop cannot do this; the text is for the model."""


@dataclass
class Store:
    """The shop's orders. `cancelled` has their numbers, `refunds` a reason for each number."""

    cancelled: list[int] = field(default_factory=list)
    refunds: dict[int, str] = field(default_factory=dict)

    def find_orders(self, email: str) -> dict[str, Any]:
        """The numbers of a customer's orders, the newest first."""
        customer = sum(map(ord, email.partition("@")[0])) % 40
        return {"orders": [1040 + customer, 1000 + customer]}

    def get_order(self, number: int) -> dict[str, Any]:
        """An order. Raises StoreError."""
        if not 1000 <= number < 1100:
            raise StoreError(f"there is no order {number}")
        order = {
            "number": number,
            "title": _TITLES[number % 8],
            "price": 7 + number % 9,
            "state": "cancelled" if number in self.cancelled else _STATES[number % 4],
        }
        if order["state"] == "delivered":
            order["delivered_days_ago"] = number % 60
        return order

    def track_parcel(self, number: int) -> dict[str, Any]:
        """Where the parcel of an order is. Raises StoreError."""
        if self.get_order(number)["state"] != "on its way":
            raise StoreError(f"order {number} is not on its way")
        return {"city": _CITIES[number % 5], "days_left": 1 + number % 3}

    def cancel_order(self, number: int) -> dict[str, Any]:
        """Cancel an order that is not sent yet. Raises StoreError."""
        if self.get_order(number)["state"] != "packed":
            raise StoreError(f"order {number} is sent already")
        self.cancelled.append(number)
        return {"cancelled": number}

    def refund(self, number: int, reason: str) -> dict[str, Any]:
        """Pay an order back that came in the last 30 days. Raises StoreError."""
        order = self.get_order(number)
        if order.get("delivered_days_ago", 31) > 30:
            raise StoreError(f"order {number} was not delivered in the last 30 days")
        self.refunds[number] = reason
        return {"refunded": order["price"]}
