"""The index finds the fixtures of equivalent requests, and no others."""

from __future__ import annotations

from typing import Any

from tests.equivalent_requests import conversation
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.requests.equivalence import form_digest
from workbench.core.requests.equivalent_index import EquivalentIndex


def index_of(*requests: dict[str, Any]) -> EquivalentIndex:
    index = EquivalentIndex()
    for request in requests:
        index.add(digest(request), view(request))
    return index


def find(index: EquivalentIndex, request: dict[str, Any]) -> list[str]:
    return index.find(form_digest(view(request)))


def test_each_way_to_write_a_request_finds_the_other() -> None:
    stub, openai = conversation("stub"), conversation("openai")
    assert digest(stub) != digest(openai)
    assert find(index_of(stub), openai) == [digest(stub)]
    assert find(index_of(openai), stub) == [digest(openai)]
    assert find(index_of(stub), conversation("stub", said="Something else")) == []


def test_a_fixture_is_found_no_more_once_it_is_removed_or_replaced() -> None:
    stub, openai = conversation("stub"), conversation("openai")
    index = index_of(stub)
    index.add(digest(stub), None)
    assert find(index, openai) == []
    index.add(digest(stub), view(stub))
    index.remove(digest(stub))
    assert find(index, openai) == []


def test_a_request_stored_under_the_name_of_another_does_not_count() -> None:
    index = EquivalentIndex()
    index.add(digest(conversation("stub", said="Something else")), view(conversation("stub")))
    assert find(index, conversation("openai")) == []


def test_a_fixture_without_a_request_is_found_by_its_name() -> None:
    canonical, stub = conversation("openai"), conversation("stub")
    index = EquivalentIndex()
    index.add(digest(canonical), None)
    assert find(index, stub) == [digest(canonical)]


def test_a_request_without_ids_finds_the_one_that_has_them_but_not_before_its_own() -> None:
    for number in range(8):  # whichever of their names comes first
        said = f"weather in London on day {number}?"
        stored = conversation("stub", said=said, ids=("toolu_a",))
        without = conversation("stub", said=said, ids=("call_0",))
        assert find(index_of(stored), without) == [digest(stored)]
        assert find(index_of(stored), conversation("stub", said=said, ids=("toolu_b",))) == []
        own = conversation("openai", said=said, ids=("call_0",))
        assert find(index_of(stored, own), without) == [digest(own), digest(stored)]


def test_what_cannot_be_hashed_is_found_by_its_name_alone() -> None:
    index = EquivalentIndex()
    index.add("a" * 64, view({"messages": [{"role": "user", "content": "\ud800"}]}))
    assert index.find("a" * 64) == ["a" * 64]


def test_of_two_fixtures_of_a_request_the_other_is_found_once_one_is_removed() -> None:
    stub, openai = conversation("stub"), conversation("openai")
    index = index_of(stub, openai)
    assert sorted(find(index, stub)) == sorted([digest(stub), digest(openai)])
    index.remove(digest(stub))
    assert find(index, stub) == [digest(openai)]
