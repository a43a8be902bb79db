"""The desks, with a new store for each test."""

from __future__ import annotations

import pytest
from openai import OpenAI
from shop.assistant import (
    ORDERS_PROMPT,
    ORDERS_TOOLS,
    RETURNS_PROMPT,
    RETURNS_TOOLS,
    Assistant,
)
from shop.store import Store


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture(scope="session")
def client() -> OpenAI:
    return OpenAI()


@pytest.fixture
def orders(client: OpenAI, store: Store) -> Assistant:
    return Assistant(client, store, ORDERS_PROMPT, ORDERS_TOOLS)


@pytest.fixture
def returns(client: OpenAI, store: Store) -> Assistant:
    return Assistant(client, store, RETURNS_PROMPT, RETURNS_TOOLS)
