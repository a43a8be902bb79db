"""G7: functions that are not LLM calls get scripted results."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.testing.mocks import test_patching as here
from workbench.testing import ResultsExhaustedError, scripted

HERE = "tests.testing.mocks.test_patching"
TARGET = f"{HERE}.search"


def search(query: str) -> str:
    return f"the real {query}"


async def fetch(url: str) -> str:
    return f"the real {url}"


def test_g7_results_come_in_order_and_exceptions_are_raised() -> None:
    with scripted(TARGET, "first", TimeoutError("too slow"), KeyError, None) as mock:
        assert here.search("a") == "first"
        with pytest.raises(TimeoutError, match="too slow"):
            here.search("b")
        with pytest.raises(KeyError):
            here.search("c")
        assert here.search("d") is None
        with pytest.raises(ResultsExhaustedError) as caught:
            here.search("e")
    assert str(caught.value) == (
        f"call 5 of {TARGET}: scripted has 4 results. Add a result, or repeat the last one with "
        "repeat_last=True."
    )
    assert [call.args for call in mock.call_args_list] == [("a",), ("b",), ("c",), ("d",), ("e",)]
    assert here.search("x") == "the real x"


def test_g7_a_function_that_is_awaited() -> None:
    async def flow() -> list[str]:
        return [await here.fetch(url) for url in "abc"]

    with scripted(f"{HERE}.fetch", "one", "two", repeat_last=True):
        assert asyncio.run(flow()) == ["one", "two", "two"]


def test_g7_a_function_is_called_with_the_arguments() -> None:
    def echo(query: str, *, most: int = 3) -> list[str]:
        return [query] * most

    with scripted(TARGET, lambda query: f"about {query}", echo, len, 5, dict) as mock:
        said: list[Any] = [here.search("a"), mock("b", most=2), here.search("abc")]
        said += [here.search("d"), here.search("e")]
    assert said == ["about a", ["b", "b"], 3, 5, dict]


def test_g7_functions_for_one_that_is_awaited() -> None:
    async def later(url: str) -> str:
        await asyncio.sleep(0)
        return url.upper()

    async def flow() -> list[str]:
        return [await here.fetch(url) for url in "abc"]

    with scripted(f"{HERE}.fetch", later, lambda url: url * 2, "c") as mock:
        assert asyncio.run(flow()) == ["A", "bb", "c"]
    assert mock.await_count == 3


def test_g9_threads_get_each_result_once() -> None:
    with scripted(TARGET, *map(str, range(200))), ThreadPoolExecutor(8) as pool:
        found = list(pool.map(here.search, map(str, range(200))))
    assert sorted(found, key=int) == list(map(str, range(200)))


def test_without_results_it_is_refused() -> None:
    with pytest.raises(TypeError, match="at least one result"), scripted(TARGET):
        pass
